"""What a user of stomp.py does: every version, and the death of the member that serves it.

Reads STOMP_PORTS (three ports, one for each member), STOMP_PID (the process of the second member) and STOMP_UNACKED (how many
messages of a subscription may wait for their acknowledgement).
"""

import os
import signal
import sys
import threading
import time

import stomp

PORTS = [int(port) for port in os.environ["STOMP_PORTS"].split()]
VICTIM = int(os.environ["STOMP_PID"])
UNACKED = int(os.environ["STOMP_UNACKED"])
DEADLINE = 30
CONNECTIONS = {"1.0": stomp.Connection10, "1.1": stomp.Connection11, "1.2": stomp.Connection12}


def check(is_right, what):
    if not is_right:
        raise AssertionError(what)


class Listener(stomp.ConnectionListener):
    def __init__(self):
        self.changed = threading.Condition()
        self.connected = {}
        self.messages = []
        self.receipts = set()
        self.errors = []
        self.is_gone = False

    def _note(self, change):
        with self.changed:
            change()
            self.changed.notify_all()

    def on_connected(self, frame):
        self._note(lambda: self.connected.update(frame.headers))

    def on_message(self, frame):
        self._note(lambda: self.messages.append(frame))

    def on_receipt(self, frame):
        self._note(lambda: self.receipts.add(frame.headers["receipt-id"]))

    def on_error(self, frame):
        self._note(lambda: self.errors.append(frame))

    def on_disconnected(self):
        def change():
            self.is_gone = True

        self._note(change)

    def wait(self, what, condition):
        with self.changed:
            check(self.changed.wait_for(lambda: condition(self), DEADLINE), f"not within {DEADLINE} s: {what}")


def connect(port, version="1.2", **options):
    listener = Listener()
    heartbeats = {} if version == "1.0" else {"heartbeats": (2000, 2000)}
    connection = CONNECTIONS[version]([("127.0.0.1", port)], **heartbeats, **options)
    connection.set_listener("", listener)
    connection.connect("ann", "a:passcode", wait=True)
    return connection, listener


def basics(version):
    connection, heard = connect(PORTS[0], version)
    other, other_heard = connect(PORTS[2], version)
    destination = f"/topic/python/{version}"
    other.subscribe(destination, id="other", headers={"receipt": "s"})
    connection.subscribe(destination, id="own", ack="client-individual", headers={"receipt": "s"})
    for each in (heard, other_heard):
        each.wait("subscriptions", lambda it: "s" in it.receipts)
    value = "plain" if version == "1.0" else "a:b\nc\\d"
    connection.send(destination, "hällo", headers={"key": value}, receipt="r1")
    connection.send(destination, "nul\0nul", receipt="r2")
    heard.wait("receipts", lambda it: {"r1", "r2"} <= it.receipts)
    for each in (heard, other_heard):
        each.wait("messages", lambda it: len(it.messages) == 2)
        check(each.messages[0].body == "hällo", each.messages[0].body)
        check(each.messages[0].headers["key"] == value, each.messages[0].headers)
        check(each.messages[1].body == "nul\0nul", each.messages[1].body)
    first, second = heard.messages
    if version == "1.0":
        connection.ack(first.headers["message-id"])
    elif version == "1.1":
        connection.ack(first.headers["message-id"], "own")
        connection.nack(second.headers["message-id"], "own")
    else:
        connection.ack(first.headers["ack"])
        connection.nack(second.headers["ack"])
    kept = connection.begin()
    dropped = connection.begin()
    connection.send(destination, "kept", transaction=kept)
    connection.send(destination, "dropped", transaction=dropped)
    connection.abort(dropped)
    connection.commit(kept)
    other_heard.wait("the transaction", lambda it: len(it.messages) == 3)
    check(other_heard.messages[2].body == "kept", other_heard.messages[2].body)
    connection.unsubscribe("own")
    connection.disconnect(receipt="bye")
    # In STOMP 1.0 the client does not wait for its receipt, later it ends with it.
    heard.wait("the end", lambda it: it.is_gone)
    other.send("/nowhere", "x")
    other_heard.wait("an error", lambda it: it.errors and "/topic/" in it.errors[0].headers["message"])
    other_heard.wait("the end", lambda it: it.is_gone)


def acknowledgements():
    """A member keeps UNACKED messages for who has not acknowledged them, and refuses more."""
    destination = "/topic/python/acknowledged"
    some = UNACKED * 2 // 3
    connection, heard = connect(PORTS[0])
    number = 0

    def receive(acknowledge):
        nonlocal number
        before = len(heard.messages)
        for _ in range(some):
            connection.send(destination, f"a{number}", receipt=f"a{number}")
            number += 1
        heard.wait("messages to acknowledge", lambda it: len(it.messages) == before + some)
        acknowledge([message.headers["ack"] for message in heard.messages[before:]])

    def in_transaction(end):
        def acknowledge(acks):
            transaction = connection.begin()
            for ack in acks:
                connection.ack(ack, transaction=transaction)
            end(transaction)

        return acknowledge

    connection.subscribe(destination, id="all", ack="client")
    for _ in range(3):
        receive(lambda acks: connection.ack(acks[-1]))
    connection.unsubscribe("all")
    connection.subscribe(destination, id="each", ack="client-individual")
    for _ in range(3):
        receive(lambda acks: [connection.ack(ack) for ack in acks])
    for _ in range(3):
        receive(in_transaction(connection.commit))
    heard.wait("receipts", lambda it: len(it.receipts) == number)
    check(not heard.errors, heard.errors)
    receive(in_transaction(connection.abort))
    for _ in range(some):
        try:
            connection.send(destination, "too many")
        except (stomp.exception.NotConnectedException, OSError):
            break
    heard.wait("an error", lambda it: it.errors and "wait for ACK" in it.errors[0].headers["message"])
    heard.wait("the end", lambda it: it.is_gone)


def heart_beats():
    connection, heard = connect(PORTS[0], "1.2")
    time.sleep(6)
    check(not heard.is_gone and not heard.errors, "silence was taken for the end")
    connection.disconnect()


def fail_over(count=400):
    destination = "/topic/python/failover"
    control, control_heard = connect(PORTS[0])
    control.subscribe(destination, id="c", headers={"receipt": "s"})
    subscriber, subscriber_heard = connect(PORTS[1])
    subscriber.subscribe(destination, id="s", headers={"receipt": "s"})
    info, info_heard = connect(PORTS[0])
    info.subscribe("/info", id="i")
    sender, sender_heard = connect(PORTS[1])
    for each in (control_heard, subscriber_heard):
        each.wait("subscriptions", lambda it: "s" in it.receipts)
    info_heard.wait("the endpoints of two others", lambda it: any(m.headers["endpoints"].count("stomp://") == 2 for m in it.messages))
    others = sender_heard.connected["endpoints"].split(",")
    others = [int(each.rsplit(":", 1)[1]) for each in others if each.startswith("stomp://")]
    check(sorted(others) == sorted([PORTS[0], PORTS[2]]), others)
    for number in range(count):
        if number == count // 2:
            sender_heard.wait("some receipts", lambda it: len(it.receipts) > count // 8)
            subscriber_heard.wait("some messages", lambda it: len(it.messages) > count // 8)
            os.kill(VICTIM, signal.SIGKILL)
        try:
            sender.send(destination, f"m{number}", receipt=f"m{number}")
        except (stomp.exception.NotConnectedException, OSError):
            break
    for each in (sender_heard, subscriber_heard):
        each.wait("the end", lambda it: it.is_gone)
    receipts = set(sender_heard.receipts)
    last = {}
    for message in subscriber_heard.messages:
        message_id = message.headers["message-id"]
        last[message_id.rsplit("-", 1)[0]] = message_id
    again, again_heard = connect(others[1])
    again.subscribe(destination, id="s", headers={"resume": ",".join(last.values())})
    for number in range(count):
        if f"m{number}" not in receipts:
            again.send(destination, f"m{number}", receipt=f"m{number}")
    everything = {f"m{number}" for number in range(count)}
    again_heard.wait("receipts of all", lambda it: receipts | it.receipts >= everything)
    seen = lambda it: {m.body for m in it.messages}
    control_heard.wait("all messages at one who stayed", lambda it: seen(it) >= everything)
    again_heard.wait("all messages at one who went", lambda it: seen(it) | seen(subscriber_heard) >= everything)
    ids = [m.headers["message-id"] for m in subscriber_heard.messages + again_heard.messages]
    check(len(ids) == len(set(ids)), "a message came twice")
    info_heard.wait("the endpoint of the one other", lambda it: it.messages[-1].headers["endpoints"].count("stomp://") == 1)
    print(f"  {len(receipts)} receipts before the kill, {count - len(receipts)} after it, nothing lost")


for each in CONNECTIONS:
    basics(each)
    print(f"  STOMP {each}: right")
acknowledgements()
print("  acknowledgements: right")
heart_beats()
print("  heart-beats: right")
fail_over()
sys.stdout.flush()
os._exit(0)
