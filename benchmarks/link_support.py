"""Ranks on hosts of their own: network namespaces of this machine, joined by veth pairs
and a bridge in one more namespace. Needs root. All addresses are inside the namespaces.
"""
import os
import subprocess


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Hosts:
    """As many hosts as ranks; they go with the `with` block."""

    def __init__(self, count):
        self.count = count
        self.hub = f"ognn-{os.getpid()}-hub"
        self.names = [f"ognn-{os.getpid()}-{r}" for r in range(count)]

    def __enter__(self):
        ip("netns", "add", self.hub)
        ip("-n", self.hub, "link", "add", "bridge", "type", "bridge", "forward_delay", "0")
        ip("-n", self.hub, "link", "set", "bridge", "up")
        for r, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("-n", self.hub, "link", "add", f"to{r}", "type", "veth", "peer", "name", "net",
               "netns", name)
            ip("-n", self.hub, "link", "set", f"to{r}", "master", "bridge")
            ip("-n", name, "address", "add", f"{self.address(r)}/24", "dev", "net")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "set", "net", "up")
            self.up(r)
        return self

    def __exit__(self, *_):
        for name in [*self.names, self.hub]:
            subprocess.run(["ip", "netns", "delete", name], check=False)

    @staticmethod
    def address(rank):
        return f"10.77.0.{rank + 1}"

    def command(self, rank):
        """Words that let a command run on the host of a rank."""
        return ["ip", "netns", "exec", self.names[rank]]

    def up(self, rank):
        ip("-n", self.hub, "link", "set", f"to{rank}", "up")

    def down(self, rank):
        ip("-n", self.hub, "link", "set", f"to{rank}", "down")

    def shape(self, megabits):
        """Limits what every host sends and receives."""
        for r, name in enumerate(self.names):
            for space, device in ((name, "net"), (self.hub, f"to{r}")):
                subprocess.run(["tc", "-n", space, "qdisc", "replace", "dev", device, "root",
                                "tbf", "rate", f"{megabits}mbit", "burst", "256kb", "latency",
                                "50ms"], check=True)

    def unshape(self):
        """Lifts the limits, if there were any."""
        for r, name in enumerate(self.names):
            for space, device in ((name, "net"), (self.hub, f"to{r}")):
                subprocess.run(["tc", "-n", space, "qdisc", "delete", "dev", device, "root"],
                               check=False, stderr=subprocess.DEVNULL)
