"""gunicorn sends the body that an application gives it, even to HEAD; Django leaves that to the server in front."""


def head_without_body(get_response):
    def respond(request):
        response = get_response(request)
        if request.method == "HEAD":
            length = str(len(response.content))
            response.content = b""
            response["Content-Length"] = length
        return response

    return respond
