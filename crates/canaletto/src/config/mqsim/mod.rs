//! MQSim's own input files.
