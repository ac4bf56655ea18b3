"""What the tests in a browser need; where it is not there they are skipped, and say why."""
import shutil
import socket
import sys


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def chromium():
    """The paths of Chromium and of its driver."""
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if None in found:
        skip("no chromium or no chromedriver")
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:  # a bare folder that one has changed into as root
        skip("the name localhost, by which browser and driver find each other, is not known here (/etc/hosts)")
    return found
