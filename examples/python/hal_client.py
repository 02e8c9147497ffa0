#!/usr/bin/env python3
"""A minimal HAL v1 client for learned policies.

It needs python3-websocket (Debian, Ubuntu: apt-get install python3-websocket) and nothing else of Sarathi:

    robot = HAL("ws://127.0.0.1:9092", "my policy")
    while not done:
        robot.set_joints(policy(robot.telemetry["joints"]), gripper=0.5)
        time.sleep(0.02)
    robot.close()

Targets must come at least twice a second: 500 ms after the last setJoints or cmd the robot's watchdog stops all motion. The robot checks
the shape of targets only; its motor controller is the safety boundary. Units are those of robot.caps["units"].

Run as a program it moves each joint of an arm a little and back:

    sarathi hal agent --driver arm
    python3 hal_client.py ws://127.0.0.1:9092
"""

import argparse
import json
import math
import threading
import time

import websocket

VERSION = 1


class HALError(Exception):
    """The robot refused something, or the link is lost."""


class HAL:
    """One link to a robot. A thread of its own reads what the robot reports; all methods may be called from any thread."""

    def __init__(self, url, name="hal_client.py", token=None, timeout=5.0):
        header = ["Authorization: Bearer " + token] if token else []
        self.timeout = timeout
        self._ws = websocket.create_connection(url, timeout=timeout, header=header, enable_multithread=True)
        self._changed = threading.Condition()
        self._results = {}  # reqId -> last skillResult
        self._next = 0
        self._lost = None  # why the link is lost
        self.telemetry = None  # the last telemetry frame
        self.faults = []  # fault frames, oldest first
        hello = json.loads(self._ws.recv())
        self.caps = hello.get("caps", {})
        why = None
        if hello.get("op") != "hello" or hello.get("v") != VERSION or self.caps.get("protocol") != VERSION:
            why = "this client speaks HAL %d" % VERSION
        self._send("welcome", accept=why is None, controller=name, reason=why or "")
        if why:
            self._ws.close()
            raise HALError(why)
        threading.Thread(target=self._read, daemon=True).start()
        self._wait(lambda: self.telemetry is not None, "telemetry")

    def _send(self, op, **payload):
        frame = {"v": VERSION, "op": op}
        frame.update(payload)
        # A policy that has diverged must not send NaN: allow_nan raises ValueError here, and silence stops the robot.
        self._ws.send(json.dumps(frame, allow_nan=False))

    def _read(self):
        try:
            while True:
                text = self._ws.recv()
                if not text:
                    raise HALError("the robot closed the link")
                frame = json.loads(text)
                with self._changed:
                    op = frame.get("op")
                    if op == "telemetry":
                        self.telemetry = frame
                    elif op == "skillResult":
                        self._results[frame["reqId"]] = frame
                        if len(self._results) > 1000:  # of a stream of targets nobody asks for the old ones
                            del self._results[next(iter(self._results))]
                    elif op == "fault":
                        self.faults = self.faults[-99:] + [frame]
                    self._changed.notify_all()
        except websocket.WebSocketTimeoutException:
            self._end("the robot is silent")
        except Exception as e:  # whatever it is, nobody reads any more, and who waits must know
            self._end(str(e) or type(e).__name__)

    def _end(self, why):
        with self._changed:
            self._lost = self._lost or why
            self._changed.notify_all()

    def _wait(self, done, what, timeout=None):
        with self._changed:
            if not self._changed.wait_for(lambda: self._lost or done(), timeout or self.timeout):
                raise HALError("no %s in time" % what)
            if self._lost and not done():
                raise HALError(self._lost)

    def cmd(self, v, w):
        """Ask for a velocity: forward, and counter-clockwise."""
        with self._changed:
            self._next += 1
            self._send("cmd", id="", V=v, w=w, seq=self._next)

    def skill(self, name, **args):
        """Begin a skill and return its reqId."""
        with self._changed:
            self._next += 1
            req = "py%d" % self._next
            self._send("skill", id="", skill=name, args=args, reqId=req)
        return req

    def set_joints(self, joints, gripper=None):
        """Stream joint targets: each takes the place of the one before. Returns the reqId."""
        args = {"joints": list(joints)}
        if gripper is not None:
            args["gripper"] = gripper
        return self.skill("setJoints", **args)

    def wait(self, req, timeout=30.0):
        """Wait for the end of a skill; commands of zero keep the robot's watchdog content meanwhile."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with self._changed:
                if self._lost:
                    raise HALError(self._lost)
                result = self._results.get(req, {})
                if result.get("status") == "failed":
                    raise HALError("%s: %s" % (req, result.get("error")))
                if result.get("status") == "done":
                    return
                self._changed.wait(0.1)
            self.cmd(0, 0)
        raise HALError("%s takes longer than %g s" % (req, timeout))

    def estop(self, reason):
        """Latch the robot's e-stop. It stays when this client goes."""
        self._send("estop", reason=reason)

    def release(self):
        """Release the e-stop."""
        self._send("release")

    def close(self):
        """Leave. The robot stops at once."""
        self._ws.close()


def main():
    parser = argparse.ArgumentParser(description="Move each joint of a HAL arm a little, by a stream of targets as a policy sends them.")
    parser.add_argument("url", nargs="?", default="ws://127.0.0.1:9092")
    parser.add_argument("--token")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--amplitude", type=float, default=0.2, help="how far each joint swings, in the robot's units (default 0.2)")
    args = parser.parse_args()
    robot = HAL(args.url, token=args.token)
    if robot.caps.get("dof", 0) == 0:
        raise SystemExit("%s has no joints" % robot.caps.get("robotKind"))
    start = list(robot.telemetry["joints"])
    far = 0.0
    began = time.monotonic()
    while time.monotonic() - began < args.seconds:
        swing = args.amplitude * math.sin(2 * math.pi * (time.monotonic() - began) / args.seconds)
        robot.set_joints([q + swing for q in start], gripper=abs(swing))  # the policy
        far = max([far] + [abs(q - s) for q, s in zip(robot.telemetry["joints"], start)])
        time.sleep(0.02)
    robot.wait(robot.set_joints(start, gripper=0.0))
    off = max(abs(q - s) for q, s in zip(robot.telemetry["joints"], start))
    print(json.dumps({"robot": robot.caps["robotKind"], "dof": robot.caps["dof"], "swung": round(far, 3), "off": round(off, 4)}))
    robot.close()


if __name__ == "__main__":
    main()
