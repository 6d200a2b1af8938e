"""Runs scenarios one after the other and prints a line of JSON for each. What they are: see ../scenarios.ts."""

import json
import traceback

BODY = "Gr\u00fc\u00dfe \U0001f426 <&> \"'\t\r\n"
RAW = b"\x00\x01\xfe\xff"


def report(version, scenarios):
    """`scenarios` are functions by the name of the scenario; each returns what the client saw."""
    write({"version": version})
    for scenario, play in scenarios.items():
        try:
            write({"scenario": scenario, "saw": play()})
        except Exception:
            write({"scenario": scenario, "failed": traceback.format_exc()})


def write(line):
    print(json.dumps(line), flush=True)
