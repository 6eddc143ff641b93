#!/usr/bin/env python3
"""Do programs that we did not write read what Myriad records and exports?

Records a day of the small scenario, exports it to every format, and reads each with the tool it is meant
for: pyarrow, pandas, polars and DuckDB for Parquet, Perfetto's own protobuf classes, pm4py for XES and OCEL.
What they find is compared with `myriad trace`. A reader that is not installed is skipped with a message.

Usage: tests/readers.py [PROGRAM]     (default: target/debug/myriad)
Readers: pip install pyarrow pandas polars duckdb perfetto pm4py
"""

import importlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/myriad").resolve()


def myriad(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"myriad {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


class Missing(Exception):
    pass


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(name) from error


def check_pyarrow(run, messages):
    table = need("pyarrow.parquet").read_table(run / "messages.parquet")
    rows = table.to_pylist()
    for row in rows:
        row["instances"] = row["instances"] or []
    assert rows == messages, "every row and every column is the same"
    states = need("pyarrow.parquet").read_table(run / "states.parquet").to_pylist()
    assert {state["state"] for state in states} >= {"off", "computing"}
    return f"{len(rows)} messages and {len(states)} states"


def check_pandas(run, messages):
    need("pyarrow")
    frame = need("pandas").read_parquet(run / "messages.parquet")
    assert frame["kind"].value_counts().to_dict() == dict(Counter(m["kind"] for m in messages))
    return f"{len(frame)} rows"


def check_polars(run, messages):
    polars = need("polars")
    frame = polars.read_parquet(run / "messages.parquet")
    assert frame["message_id"].to_list() == [m["message_id"] for m in messages]
    name = next(name for m in messages for name in m["instances"])
    found = frame.filter(polars.col("instances").list.contains(name)).height
    assert found == sum(name in m["instances"] for m in messages)
    return f"{frame.height} rows; {found} about instance {name}"


def check_duckdb(run, messages):
    duckdb = need("duckdb")
    question = f"select fate, count(*) from '{run}/messages.parquet' group by fate"
    found = dict(duckdb.sql(question).fetchall())
    assert found == dict(Counter(m["fate"] for m in messages))
    question = f"""select count(*) from '{run}/messages.parquet' effect
        join '{run}/messages.parquet' cause on effect.cause_id = cause.message_id
        where effect.sent_ns = cause.received_ns and effect.from_id = cause.to_id"""
    joined = duckdb.sql(question).fetchall()[0][0]
    assert joined == sum(m["cause_id"] is not None for m in messages)
    return f"{found}; {joined} causes"


def check_perfetto(run, messages):
    proto = need("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    file = run / "export.perfetto-trace"
    myriad("export", run, "--to", "perfetto", "-o", file)
    trace = proto.Trace()
    trace.ParseFromString(file.read_bytes())
    tracks = {p.track_descriptor.uuid for p in trace.packet if p.HasField("track_descriptor")}
    events = [p.track_event for p in trace.packet if p.HasField("track_event")]
    assert all(event.track_uuid in tracks for event in events), "every event has a track"
    begun = Counter(flow for event in events for flow in event.flow_ids)
    ended = Counter(flow for event in events for flow in event.terminating_flow_ids)
    talk = [m for m in messages if m["from_id"] != m["to_id"]]
    assert begun == Counter(m["message_id"] | 1 << 63 for m in talk), "an arrow per message"
    arrived = Counter(m["message_id"] | 1 << 63 for m in talk if m["fate"] != "in_flight")
    assert ended == arrived, "and an end for each that arrived"
    depth = Counter()
    for event in events:
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            depth[event.track_uuid] += 1
        elif event.type == proto.TrackEvent.TYPE_SLICE_END:
            depth[event.track_uuid] -= 1
    assert not any(depth.values()), "every slice ends"
    return f"{len(tracks)} tracks, {len(events)} events, {len(begun)} arrows"


def check_chrome(run, messages):
    file = run / "export.json"
    myriad("export", run, "--to", "chrome", "-o", file)
    events = json.loads(file.read_text())["traceEvents"]
    phases = Counter(event["ph"] for event in events)
    arrived = [m for m in messages if m["from_id"] != m["to_id"] and m["fate"] != "in_flight"]
    assert phases["s"] == phases["f"] == len(arrived)
    slices = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
    arrows = [e for e in events if e["ph"] in "sf"]
    assert all((e["pid"], e["tid"], e["ts"]) in slices for e in arrows), "arrows have ends"
    return f"{dict(phases)} (read by Python's json, for want of another reader)"


def check_xes(run, messages):
    pm4py = need("pm4py")
    file = run / "export.xes"
    myriad("export", run, "--to", "xes", "-o", file)
    log = pm4py.read_xes(str(file))
    arrived = [m for m in messages if m["fate"] != "in_flight"]
    cases = Counter(name for m in arrived for name in m["instances"])
    assert dict(log["case:concept:name"].value_counts()) == dict(cases)
    graph, _, _ = pm4py.discover_dfg(log)
    assert ("instance_dispatched", "reply") in graph or ("reply", "instance_dispatched") in graph
    return f"{len(cases)} cases, {len(log)} events, {len(graph)} edges of the directly-follows graph"


def check_ocel(run, messages):
    pm4py = need("pm4py")
    file = run / "export.jsonocel"
    myriad("export", run, "--to", "ocel", "-o", file)
    log = pm4py.read_ocel2_json(str(file))
    arrived = [m for m in messages if m["fate"] != "in_flight"]
    assert len(log.events) == len(arrived)
    kinds = dict(log.events["ocel:activity"].value_counts())
    assert kinds == dict(Counter(m["kind"] for m in arrived))
    instances = {name for m in arrived for name in m["instances"]}
    found = set(log.objects[log.objects["ocel:type"] == "instance"]["ocel:oid"])
    assert found == {f"instance {name}" for name in instances}
    return f"{len(log.events)} events, {len(log.objects)} objects, {len(log.relations)} relations"


CHECKS = [
    check_pyarrow,
    check_pandas,
    check_polars,
    check_duckdb,
    check_perfetto,
    check_chrome,
    check_xes,
    check_ocel,
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        scenario = ROOT / "configs/volunteer/small.toml"
        shorter = ["--until", "1 d", "--set", "hosts=60"]
        myriad("run", scenario, *shorter, "--trace", "all", "--progress", "none", "-o", run)
        lines = myriad("trace", run, "--format", "ndjson").splitlines()
        messages = [json.loads(line) for line in lines]
        failed = False
        for check in CHECKS:
            name = check.__name__.removeprefix("check_")
            try:
                print(f"{name}: {check(run, messages)}")
            except Missing as missing:
                print(f"{name}: skipped, since {missing} is not installed")
            except AssertionError as error:
                failed = True
                print(f"{name}: WRONG: {error}")
        sys.exit(failed)


if __name__ == "__main__":
    main()
