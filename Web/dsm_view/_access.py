# SPDX-License-Identifier: BSD-3-Clause
"""Access to the page: everybody who has its address may see it, and the address has a secret in its path.

The secret is in the path, and not in a cookie, because a page inside a notebook's cell comes from another site, whose
cookies browsers keep back. The websocket's address has it as well.
"""

import hmac
import secrets

from aiohttp import web

REFUSAL = "This address has no page. Use the address that dsm-view printed when it started.\n"
HEADERS = {
    "Referrer-Policy": "no-referrer",  # other sites do not learn the address
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def new_token():
    """Returns a secret of 144 bits."""
    return secrets.token_urlsafe(18)


def protect(application, token, folders):
    """Serves folders, by the names that the page has for them, below the secret, and refuses everything else.

    The folder of an empty name has the page itself.
    """

    @web.middleware
    async def refuse(request, handler):
        first = request.path.removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(first.encode(), token.encode()):
            raise web.HTTPForbidden(text=REFUSAL)
        return await handler(request)

    async def add_headers(_request, response):
        response.headers.update(HEADERS)

    async def page(request):
        # Relative: a proxy may serve the page below a path of its own.
        raise web.HTTPFound("index.html" if request.path.endswith("/") else f"{token}/index.html")

    application.middlewares.append(refuse)
    application.on_response_prepare.append(add_headers)
    application.router.add_get(f"/{token}", page)
    application.router.add_get(f"/{token}/", page)
    for name, folder in sorted(folders.items(), reverse=True):
        application.router.add_static(f"/{token}/{name}", folder)
