"""Results of MQSim 7ec40e3 for its FAST'18 files: mean device response, nanoseconds.

From a build of MQSim that only adds counters. Each row is of one depth of Flow-2: Flow-1 and Flow-2 at the same time,
and Flow-2 alone; `FLOW_1_ALONE` is Flow-1's. Only what MQSim finished is here.
"""

BACK_END = {
    2: (99176.8, 99245.3, 92056.0),
    4: (106643.9, 106578.0, 99169.7),
    8: (123294.8, 123319.2, 114741.5),
    16: (161488.7, 161331.4, 151456.0),
    32: (247616.7, 247814.6, 236678.4),
    64: (431866.5, 434268.5, 423129.7),
    128: (817022.8, 823193.1, 811499.8),
    256: (1619732.8, 1605193.2, 1592253.2),
}
"""backend-contention. Flow-1's own file is broken; alone it is the first scenario of Flow-2's, which has its values."""

BACK_END_FLOW_1_ALONE = BACK_END[2][2]

QUEUE_FETCH = {
    16: {
        8: (151266.2, 151196.4, 114741.5),
        16: (192492.0, 192708.3, 151456.0),
        32: (193443.0, 384581.1, 302784.6),
        64: (193443.0, 769144.2, 605559.3),
        128: (193443.0, 1538215.2, 1211079.0),
        256: (193443.1, 3076139.2, 2422002.0),
    },
    1024: {
        8: (151266.2, 151196.4, 114741.5),
        16: (192492.0, 192708.3, 151456.0),
        32: (281674.2, 281868.2, 236678.4),
        64: (469335.6, 470136.0, 423129.7),
        128: (857280.6, 858792.9, 811499.8),
        256: (1629057.4, 1643280.1, 1592253.2),
    },
}

QUEUE_FETCH_FLOW_1_ALONE = 114741.5
