"""An HTTP server on 127.0.0.1 that hands out the files below a folder."""
import http.server
import os
import re
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    folder = None

    def do_GET(self):
        try:
            with open(os.path.join(self.folder, self.path.lstrip("/")), "rb") as file:
                content = file.read()
        except OSError:
            self.send_error(404)
            return
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        offset = int(asked[1]) if asked else 0
        if asked and offset >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range",
                             f"bytes {offset}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - offset))
        self.end_headers()
        self.wfile.write(content[offset:])

    def log_message(self, *_):
        pass


def serve(folder):
    """Starts it and returns its address."""
    handler = type("FolderHandler", (Handler,), {"folder": folder})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
