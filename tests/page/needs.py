"""What the tests in a browser need: Chromium without a window. Where it is missing they are skipped, and say why."""
import os
import shutil
import socket
import sys

FLAGS = ("--headless=new", "--hide-scrollbars", "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--disable-background-networking")
SOFTWARE_WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def browser(flags=(), downloads=None):
    """Starts Chromium, with its console recorded. flags: more options of its command line; downloads: the folder for downloaded files."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as missing:
        skip(missing)
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if None in found:
        skip("no chromium or no chromedriver")
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:  # a bare folder that one has changed into as root
        skip("the name localhost, by which browser and driver find each other, is not known here (/etc/hosts)")
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for flag in (*FLAGS, *flags, *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if downloads:
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    return webdriver.Chrome(service=Service(found[1]), options=options)
