"""Holds the server to its own description: no answer of the 500s, none that openapi.json does not know.

Arguments: the sign-in link that the server printed, a folder for scraps, and how many requests to try for each call.
"""

import subprocess
import sys
from urllib.parse import urlsplit

import requests

link, folder, tries = sys.argv[1:4]
base = "http://" + urlsplit(link).netloc

session = requests.Session()
assert session.get(link, timeout=10).status_code == 200
csrf = session.get(base + "/api/v1/session", timeout=10).json()["csrf"]
session.headers["x-gannet-csrf"] = csrf
made = session.post(base + "/api/v1/tokens", json={"name": "schema"}, timeout=10)
assert made.status_code == 201, made.text
token = made.json()["token"]
# Something to find.
assert session.post(base + "/api/v1/samples/manual", timeout=10).status_code == 201

command = [
    sys.executable, "-m", "schemathesis.cli", "run", base + "/api/v1/openapi.json",
    "--url", base + "/api/v1",
    "--header", f"Authorization: Bearer {token}",
    "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    # Streams do not end, and a session that signs out of itself finds nothing more.
    "--exclude-path-regex", "events$",
    "--max-examples", tries, "--phases", "examples,coverage,fuzzing", "--seed", "20261115",
    "--generation-deterministic", "--request-timeout", "20", "--workers", "2", "--no-color",
]
sys.exit(subprocess.run(command, cwd=folder).returncode)
