//! Ids of what passes through the stations.

use crate::typed_id;

typed_id!(
    /// A flash transaction in flight.
    TransactionId
);
typed_id!(
    /// A host request in flight.
    RequestId
);
