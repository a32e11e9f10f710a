"""Holds the server to its own description: no answer of the 500s, none that openapi.json does not know.

Arguments: the sign-in link that the server printed, a folder for scraps, and how many requests to try for each call.
"""

import pathlib
import subprocess
import sys
import time
from urllib.parse import urlsplit

import requests

link, folder, tries = sys.argv[1:4]
base = "http://" + urlsplit(link).netloc

session = requests.Session()
assert session.get(link, timeout=10).status_code == 200
csrf = session.get(base + "/api/v1/session", timeout=10).json()["csrf"]
session.headers["x-gannet-csrf"] = csrf

def post(path, body=None):
    answer = session.post(base + "/api/v1" + path, json=body or {}, timeout=20)
    assert answer.status_code == 201, answer.text
    return answer.json()

# The first token is one that the calls may revoke.
post("/tokens", {"name": "revoked"})
token = post("/tokens", {"name": "schema"})["token"]

# Something to find: a project, its first run and its index, all named in the calls' paths.
post("/samples/shop")
run = post("/projects/demo-shop/runs")["id"]
for _ in range(300):
    if session.get(f"{base}/api/v1/runs/{run}", timeout=20).json()["state"] == "completed":
        break
    time.sleep(0.1)
pathlib.Path(folder, "schemathesis.toml").write_text(
    f'[parameters]\n"path.name" = "demo-shop"\n"path.id" = {run}\n"path.file" = "pages.csv"\n'
)

command = [
    sys.executable, "-m", "schemathesis.cli", "run", base + "/api/v1/openapi.json",
    "--url", base + "/api/v1",
    "--header", f"Authorization: Bearer {token}",
    "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    # Streams do not end, and a session that signs out of itself finds nothing more.
    "--exclude-path-regex", "events$",
    "--max-examples", tries, "--phases", "examples,coverage,fuzzing", "--seed", "20261115",
    "--generation-deterministic", "--request-timeout", "60", "--workers", "1", "--no-color",
]
sys.exit(subprocess.run(command, cwd=folder).returncode)
