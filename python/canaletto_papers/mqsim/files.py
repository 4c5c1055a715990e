"""MQSim's FAST'18 experiments in MQSim's own format, and what MQSim 7ec40e3 gives for them.

The values come from the files that ship with MQSim (github.com/CMU-SAFARI/MQSim, 7ec40e3, examples of FAST'18); the
files are written anew. The importer behind `canaletto mqsim` reads them and sets MQSim's quirks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from canaletto import _engine
from canaletto._io.progress import Progress
from canaletto._run.identity import key_of

DEPTHS = (8, 16, 32, 64, 128, 256)

STOP_S = 10.0

_HOST = {
    "PCIe_Lane_Bandwidth": "1.00000",
    "PCIe_Lane_Count": 4,
    "SATA_Processing_Delay": 400000,
    "Enable_ResponseTime_Logging": "false",
    "ResponseTime_Logging_Period_Length": 1000000,
}

_DEVICE = {
    "Seed": 321,
    "Enabled_Preconditioning": "false",
    "Memory_Type": "FLASH",
    "HostInterface_Type": "NVME",
    "IO_Queue_Depth": 65535,
    "Queue_Fetch_Size": 512,
    "Caching_Mechanism": "ADVANCED",
    "Data_Cache_Sharing_Mode": "SHARED",
    "Data_Cache_Capacity": 268435456,
    "Data_Cache_DRAM_Row_Size": 8192,
    "Data_Cache_DRAM_Data_Rate": 400,
    "Data_Cache_DRAM_Data_Busrt_Size": 2,
    "Data_Cache_DRAM_tRCD": 13,
    "Data_Cache_DRAM_tCL": 13,
    "Data_Cache_DRAM_tRP": 13,
    "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "true",
    "CMT_Capacity": 2097152,
    "CMT_Sharing_Mode": "SHARED",
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "OUT_OF_ORDER",
    "Overprovisioning_Ratio": "0.07",
    "GC_Exec_Threshold": "0.05000",
    "GC_Block_Selection_Policy": "RGA",
    "Use_Copyback_for_GC": "false",
    "Preemptible_GC_Enabled": "false",
    "GC_Hard_Threshold": "0.005000",
    "Dynamic_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Threshold": 100,
    "Preferred_suspend_erase_time_for_read": 700000,
    "Preferred_suspend_erase_time_for_write": 700000,
    "Preferred_suspend_write_time_for_read": 100000,
    "Flash_Channel_Count": 8,
    "Flash_Channel_Width": 1,
    "Channel_Transfer_Rate": 333,
    "Chip_No_Per_Channel": 4,
    "Flash_Comm_Protocol": "NVDDR2",
}

_FLASH = {
    "Flash_Technology": "MLC",
    "CMD_Suspension_Support": "ERASE",
    **{f"Page_Read_Latency_{kind}": 75000 for kind in ("LSB", "CSB", "MSB")},
    **{f"Page_Program_Latency_{kind}": 750000 for kind in ("LSB", "CSB", "MSB")},
    "Block_Erase_Latency": 3800000,
    "Block_PE_Cycles_Limit": 10000,
    "Suspend_Erase_Time": 700000,
    "Suspend_Program_Time": 100000,
    "Die_No_Per_Chip": 2,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 2048,
    "Page_No_Per_Block": 256,
    "Page_Capacity": 8192,
    "Page_Metadat_Capacity": 448,
}

_FLOW = {
    "Priority_Class": "HIGH",
    "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
    "Channel_IDs": "0,1,2,3,4,5,6,7",
    "Chip_IDs": "0,1",
    "Die_IDs": "0,1",
    "Plane_IDs": "0,1",
    "Initial_Occupancy_Percentage": 75,
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 100,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 0,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 16,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 8,
    "Variance_Request_Size": 0,
    "Seed": 798,
    "Average_No_of_Reqs_in_Queue": 8,
    "Stop_Time": round(STOP_S * 1e9),
    "Total_Requests_To_Generate": 0,
}
"""At multiples of 8 KiB, over half of the addresses of one chip in two."""


@dataclass(frozen=True)
class FileRun:
    device: str
    workload: str
    until_s: float
    seed: int = 1

    @cached_property
    def key(self) -> str:
        return key_of("mqsim", self.device, self.workload)

    @property
    def requests(self) -> int:
        return 0

    def simulate(self, report: Progress) -> dict[str, Any]:
        texts = ("ssdconfig.xml", self.device, "workload.xml", self.workload, "")
        ((text, _),), *_ = _engine.mqsim(*texts, [], False, json.dumps({"records": False}), report)
        found: dict[str, Any] = json.loads(text)
        return found


def device(**changes: object) -> str:
    parts = f"{_tags(_DEVICE | changes)}<Flash_Parameter_Set>\n{_tags(_FLASH)}</Flash_Parameter_Set>\n"
    host = f"<Host_Parameter_Set>\n{_tags(_HOST)}</Host_Parameter_Set>\n"
    whole = f"{host}<Device_Parameter_Set>\n{parts}</Device_Parameter_Set>\n"
    return f'<?xml version="1.0" encoding="us-ascii"?>\n<Execution_Parameter_Set>\n{whole}</Execution_Parameter_Set>\n'


def flow(depth: int, seed: int = 798, **changes: object) -> dict[str, object]:
    return _FLOW | {"Average_No_of_Reqs_in_Queue": depth, "Seed": seed} | changes


def workload(flows: Iterable[Mapping[str, object]]) -> str:
    kind = "IO_Flow_Parameter_Set_Synthetic"
    body = "".join(f"<{kind}>\n{_tags(each)}</{kind}>\n" for each in flows)
    scenario = f"<IO_Scenario>\n{body}</IO_Scenario>\n"
    return f'<?xml version="1.0" encoding="us-ascii"?>\n<MQSim_IO_Scenarios>\n{scenario}</MQSim_IO_Scenarios>\n'


def scenario(device_file: str, flows: Iterable[Mapping[str, object]], stop_s: float) -> FileRun:
    stop = {"Stop_Time": round(stop_s * 1e9)}
    return FileRun(device_file, workload([{**each, **stop} for each in flows]), stop_s)


def _tags(values: Mapping[str, object]) -> str:
    return "".join(f"<{tag}>{value}</{tag}>\n" for tag, value in values.items())
