use crate::typed_id;

typed_id!(TransactionId);
typed_id!(RequestId);
