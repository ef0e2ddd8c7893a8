"""A program that speaks the protocol and goes wrong at its third `ask`, in the way that its argument names."""

import json
import os
import random
import signal
import sys
import time


def say(message):
    print(json.dumps(message), flush=True)


def go_wrong(how):
    if how == "dies":
        print("out of licences", file=sys.stderr, flush=True)
        sys.exit(3)
    if how == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hangs":
        print("waiting for a lock", file=sys.stderr, flush=True)
        time.sleep(1000)
    if how == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if how == "floods-errors":
        for _ in range(100):
            sys.stderr.write("y" * 65536 + "\n")
        say({"config": {"x": 0.5}})
        return
    answers = {
        "garbage": "Traceback: \x1b[31m not json",
        "list": "[1, 2]",
        "twice": '{"config": {"x": 0.1}}\n{"config": {"x": 0.2}}',
        "outside": '{"config": {"x": 1e9}}',
        "text": '{"config": {"x": "half"}}',
        "none": '{"config": {}}',
        "more": '{"config": {"x": 0.5, "z": 1}}',
        "nan": '{"config": {"x": NaN}}',
        "no-config": '{"proposal": 1}',
        "budget": '{"config": {"x": 0.5}, "budget": "all"}',
        "other-budget": '{"config": {"x": 0.5}, "budget": 77}',
        "error": '{"error": "ValueError: singular matrix"}',
    }
    print(answers[how], flush=True)


def main(how):
    n_asked, rng = 0, None
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "hello":
            version = os.environ.get("FAKE_VERSION", "1.0")
            say({"protocol": 2 if how == "other-protocol" else 1, "version": f"fake {version}"})
        elif message["do"] == "build":
            rng = random.Random(message["seed"])
            say({})
        elif message["do"] == "tell":
            say({})
        else:
            n_asked += 1
            if n_asked == 3 and how != "nothing":
                go_wrong(how)
            else:
                say({"config": {"x": rng.random()}})


if __name__ == "__main__":
    main(sys.argv[1])
