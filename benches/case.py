"""The cases by which speed is judged (`docs/explanation/speed.md`).

`python benches/case.py A 60000` simulates case A with that many requests of 4 KiB, 64 in flight, in the engine without
the package.
"""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

CASES = {
    "A": "random reads on the drive of MQSim's `perf-randread-4k-qd64`, with MQSim's semantics",
    "B": "random reads on the preset `performance-optimized`",
    "C": "random writes on the drive of case B in its steady state, in which they make it collect",
    "D": "the reads of case B over the fabric `venice`",
    "R": "the reads of case B, whose waits are followed to their root causes",
}

SETTINGS = {"C": ["precondition.kind=steady"], "D": ["fabric.kind=venice"]}

DRIVE = """<Execution_Parameter_Set>
<Host_Parameter_Set><PCIe_Lane_Bandwidth>2.0</PCIe_Lane_Bandwidth></Host_Parameter_Set>
<Device_Parameter_Set>
<Seed>321</Seed><Enabled_Preconditioning>false</Enabled_Preconditioning><IO_Queue_Depth>65535</IO_Queue_Depth>
<Ideal_Mapping_Table>true</Ideal_Mapping_Table>
<Transaction_Scheduling_Policy>PRIORITY_OUT_OF_ORDER</Transaction_Scheduling_Policy>
<Preemptible_GC_Enabled>false</Preemptible_GC_Enabled><Flash_Channel_Width>6</Flash_Channel_Width>
<Channel_Transfer_Rate>200</Channel_Transfer_Rate><Chip_No_Per_Channel>8</Chip_No_Per_Channel>
<Flash_Parameter_Set>
<Flash_Technology>SLC</Flash_Technology><CMD_Suspension_Support>NONE</CMD_Suspension_Support>
<Page_Read_Latency_LSB>3000</Page_Read_Latency_LSB><Page_Program_Latency_LSB>100000</Page_Program_Latency_LSB>
<Block_Erase_Latency>1000000</Block_Erase_Latency><Die_No_Per_Chip>1</Die_No_Per_Chip>
<Block_No_Per_Plane>1024</Block_No_Per_Plane><Page_No_Per_Block>768</Page_No_Per_Block>
<Page_Capacity>4096</Page_Capacity>
</Flash_Parameter_Set>
</Device_Parameter_Set>
</Execution_Parameter_Set>"""

FLOW = """<MQSim_IO_Scenarios><IO_Scenario><IO_Flow_Parameter_Set_Synthetic>
<Priority_Class>HIGH</Priority_Class><Device_Level_Data_Caching_Mode>TURNED_OFF</Device_Level_Data_Caching_Mode>
<Channel_IDs>0,1,2,3,4,5,6,7</Channel_IDs><Chip_IDs>0,1,2,3,4,5,6,7</Chip_IDs><Die_IDs>0</Die_IDs><Plane_IDs>0,1</Plane_IDs>
<Initial_Occupancy_Percentage>70</Initial_Occupancy_Percentage><Working_Set_Percentage>100</Working_Set_Percentage>
<Synthetic_Generator_Type>QUEUE_DEPTH</Synthetic_Generator_Type><Read_Percentage>100</Read_Percentage>
<Address_Distribution>RANDOM_UNIFORM</Address_Distribution><Percentage_of_Hot_Region>0</Percentage_of_Hot_Region>
<Generated_Aligned_Addresses>true</Generated_Aligned_Addresses><Address_Alignment_Unit>8</Address_Alignment_Unit>
<Request_Size_Distribution>FIXED</Request_Size_Distribution><Average_Request_Size>8</Average_Request_Size>
<Variance_Request_Size>0</Variance_Request_Size><Seed>798</Seed><Average_No_of_Reqs_in_Queue>64</Average_No_of_Reqs_in_Queue>
<Bandwidth>0</Bandwidth><Stop_Time>0</Stop_Time><Total_Requests_To_Generate>{requests}</Total_Requests_To_Generate>
</IO_Flow_Parameter_Set_Synthetic></IO_Scenario></MQSim_IO_Scenarios>"""

WORKLOAD = """name = "random"
[[flow]]
name = "random"
[flow.synthetic]
requests = {requests}
read_share = {read_share}
size = "4KiB"
queue_depth = 64
"""


def engine(path: Path | None = None) -> ModuleType:
    if path is None:
        (path,) = (Path(__file__).parents[1] / "python" / "canaletto").glob("_engine.*so")
    spec = importlib.util.spec_from_file_location("_engine", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def simulate(case: str, requests: int, module: Path | None = None) -> dict[str, Any]:
    native = engine(module)
    options = json.dumps({"root_causes": case == "R"})
    if case == "A":
        flow = FLOW.format(requests=requests)
        ((result, _),), *_ = native.mqsim("ssdconfig.xml", DRIVE, "workload.xml", flow, "", [], False, options, None)
    else:
        settings = [("--set", "", setting) for setting in SETTINGS.get(case, [])]
        design, _ = native.resolve_design("performance-optimized", None, settings)
        text = WORKLOAD.format(requests=requests, read_share=0.0 if case == "C" else 1.0)
        result, _ = native.run(design, native.resolve_workload("random", text, []), options, None)
    found: dict[str, Any] = json.loads(result)
    return found


def main() -> None:
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in CASES or not sys.argv[2].isdecimal():
        about = "\n".join(f"  {case}  {text}" for case, text in CASES.items())
        sys.exit(f"usage: python benches/case.py CASE REQUESTS [NATIVE MODULE]\n{about}")
    cost = simulate(sys.argv[1], int(sys.argv[2]), *map(Path, sys.argv[3:]))["cost"]
    print(f"{cost['events']} events, {cost['requests_per_cpu_s']:,.0f} requests a CPU-second, {cost['peak_rss_mb']} MB")


if __name__ == "__main__":
    main()
