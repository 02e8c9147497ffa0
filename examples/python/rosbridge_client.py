#!/usr/bin/env python3
"""A rosbridge v2 client: topics and services of a robot from plain Python, without ROS.

It needs python3-websocket (Debian, Ubuntu: apt-get install python3-websocket) and nothing else of Sarathi:

    robot = Rosbridge("ws://127.0.0.1:9091")
    robot.subscribe("/robot/battery", lambda msg: print(msg["percentage"]))
    robot.call("/control/estop/engage")
    robot.advertise("/interaction/say_text", "std_msgs/String")
    robot.publish("/interaction/say_text", {"data": "hello"})
    robot.close()

Run as a program it drives a robot forward a little, as a dashboard does:

    sarathi run
    python3 rosbridge_client.py ws://127.0.0.1:9091 --speed 0.2 --seconds 2
"""

import argparse
import json
import threading
import time

import websocket

CMD_VEL = "/control/remote/dashboard/cmd_vel"


class RosbridgeError(Exception):
    """The server or a service refused something, or the link is lost."""


class Rosbridge:
    """One link to a server. A thread of its own calls the handlers of topics; all methods may be called from any thread."""

    def __init__(self, url, token=None, timeout=5.0):
        header = ["Authorization: Bearer " + token] if token else []
        self.timeout = timeout
        self._ws = websocket.create_connection(url, timeout=timeout, header=header, enable_multithread=True)
        self._ws.settimeout(None)  # a quiet robot is no lost robot; the library answers the server's pings
        self._changed = threading.Condition()
        self._handlers = {}  # topic -> function
        self._answers = {}  # id of a call -> its answer, None while it is awaited
        self._next = 0
        self._lost = None  # why the link is lost
        threading.Thread(target=self._read, daemon=True).start()

    def _send(self, op, **fields):
        frame = {"op": op}
        frame.update(fields)
        self._ws.send(json.dumps(frame, allow_nan=False))

    def _read(self):
        why = "the server closed the link"
        try:
            while True:
                text = self._ws.recv()
                if not text:
                    break
                frame = json.loads(text)
                if frame["op"] == "publish":
                    handler = self._handlers.get(frame["topic"])
                    if handler:
                        handler(frame["msg"])
                elif frame["op"] == "service_response":
                    with self._changed:
                        if frame.get("id") in self._answers:  # else it is too late
                            self._answers[frame["id"]] = frame
                        self._changed.notify_all()
        except Exception as e:  # whatever it is, nobody reads any more, and who waits must know
            why = str(e) or type(e).__name__
        with self._changed:
            self._lost = why
            self._changed.notify_all()

    def subscribe(self, topic, handler, type="", **options):
        """Call handler(msg) for each message. options: throttle_rate in ms, queue_length, compression."""
        self._handlers[topic] = handler
        if type:
            options["type"] = type
        self._send("subscribe", topic=topic, **options)

    def unsubscribe(self, topic):
        """End a subscription."""
        self._send("unsubscribe", topic=topic)
        self._handlers.pop(topic, None)

    def advertise(self, topic, type, latch=False):
        """Say that messages of a type will be published."""
        self._send("advertise", topic=topic, type=type, latch=latch)

    def publish(self, topic, msg):
        """Publish a message. Fields that are left out get their defaults. A server says nothing about one that it does not take."""
        self._send("publish", topic=topic, msg=msg)

    def call(self, service, args=None, timeout=None):
        """Call a service and return its response."""
        timeout = timeout or self.timeout
        with self._changed:
            self._next += 1
            req = "py%d" % self._next
            self._answers[req] = None
        try:
            self._send("call_service", id=req, service=service, args=args or {}, timeout=timeout)
            with self._changed:
                self._changed.wait_for(lambda: self._lost or self._answers[req], timeout + 1)
                answer = self._answers[req]
        finally:
            with self._changed:
                del self._answers[req]
        if answer is None:
            raise RosbridgeError("%s: %s" % (service, self._lost or "no answer in time"))
        if not answer["result"]:
            raise RosbridgeError("%s: %s" % (service, answer.get("values")))
        return answer["values"]

    def close(self):
        """Leave. Subscriptions and advertisements end."""
        self._ws.close()


class Pilot:
    """Drives through the robot's control mux: as every source it must be chosen, and armed by commands of zero."""

    def __init__(self, robot):
        self.robot = robot
        self._changed = threading.Condition()
        self.status = None
        robot.subscribe("/control/status", self._on_status, "dharma_interfaces/ControlStatus")
        robot.advertise(CMD_VEL, "geometry_msgs/Twist")

    def _on_status(self, status):
        with self._changed:
            self.status = status
            self._changed.notify_all()

    def take(self):
        """Choose the dashboard as who drives."""
        answer = self.robot.call("/control/set_mode", {"mode": "remote", "source": "dashboard"})
        if not answer["success"]:
            raise RosbridgeError("/control/set_mode: " + answer["message"])
        for _ in range(3):  # a status from before the change may say that it is armed
            self.robot.publish(CMD_VEL, {})
        self.drive(0, until=lambda s: s["remote_source"] == "dashboard" and s["armed"], limit=self.robot.timeout)

    def drive(self, speed, limit, until=lambda status: False):
        """Send a speed in m/s 20 times a second, for limit seconds or until the status is as wanted; 0.3 s of silence stop the robot."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            self.robot.publish(CMD_VEL, {"linear": {"x": speed}})
            with self._changed:
                if self._changed.wait_for(lambda: self.status and until(self.status), 0.05):
                    return
                if self.status and self.status["estop"]:
                    raise RosbridgeError("e-stop: " + "; ".join(self.status["estop_reasons"]))
        if speed == 0:
            raise RosbridgeError("the robot is not as wanted within %g s" % limit)


def main():
    parser = argparse.ArgumentParser(description="Drive a robot forward a little, through its rosbridge server.")
    parser.add_argument("url", nargs="?", default="ws://127.0.0.1:9091")
    parser.add_argument("--token")
    parser.add_argument("--speed", type=float, default=0.2, help="m/s (default 0.2)")
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    robot = Rosbridge(args.url, token=args.token)
    try:
        pilot = Pilot(robot)
        pilot.take()
        pilot.drive(args.speed, args.seconds)
        top = pilot.status["command"]["linear"]["x"]
        pilot.drive(0, until=lambda s: s["command"]["linear"]["x"] == 0, limit=robot.timeout)
        print(json.dumps({"mode": pilot.status["mode"], "source": pilot.status["active_source"], "speed": round(top, 3)}))
    except RosbridgeError as e:
        raise SystemExit(str(e))
    finally:
        robot.close()


if __name__ == "__main__":
    main()
