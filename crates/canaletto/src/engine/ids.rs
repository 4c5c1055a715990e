//! Ids of what passes through the stations.

use crate::typed_id;

typed_id!(TransactionId);
typed_id!(RequestId);
