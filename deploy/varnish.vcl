# Varnish in front of the service, with the xkey of varnish-modules. Goes with --cache-tags, and with
# --base-url, so that links do not depend on the Host of the client that filled the cache.
vcl 4.1;

import directors;
import std;
import xkey;

# With several nodes, a backend for each, and a line for it in vcl_init.
backend node1 {
	.host = "127.0.0.1";
	.port = "8080";
}

sub vcl_init {
	new nodes = directors.round_robin();
	nodes.add_backend(node1);
}

# Who may purge.
acl publishers {
	"127.0.0.1";
	"::1";
}

sub vcl_recv {
	set req.backend_hint = nodes.backend();
	# PURGE with the tags to forget: `curl -X PURGE -H "Surrogate-Key: current" http://127.0.0.1/` after a release was activated.
	if (req.method == "PURGE") {
		if (client.ip !~ publishers) {
			return (synth(403, "Only publishers may purge"));
		}
		# After a soft purge the old response is still sent while it is fetched again, and while the service is away.
		set req.http.X-Purged = xkey.softpurge(req.http.Surrogate-Key);
		return (synth(200, "Purged " + req.http.X-Purged));
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	# One name, whatever a client sends.
	set req.http.Host = "catalogs.example.org";
	# API v1 ignores Accept and is not compressed; the order of its parameters means nothing.
	if (req.url ~ "^/api/v1") {
		unset req.http.Accept;
		unset req.http.Accept-Encoding;
		set req.url = std.querysort(req.url);
	}
	# Whole collections are large, and resumed by ranges: the service has a cache of its own for them.
	if (req.url ~ "^/api/v2/.*/all(\?|$)" || req.url ~ "^/api/v2/changes") {
		return (pass);
	}
	return (hash);
}

sub vcl_backend_response {
	# A node that lags responds with a 503 to a release that the next one may have.
	if (beresp.http.Nomenclator-Shelf == "lag" && bereq.retries < 2) {
		return (retry);
	}
	if (bereq.url ~ "^/api/v1") {
		unset beresp.http.Vary;
	}
	# Tagged responses are kept for long, since they are purged by their tag. Clients still get the Cache-Control of the
	# service, and revalidate with Varnish. All others go on to what Varnish does by itself: problems are not kept.
	if (beresp.status == 200 && beresp.http.Surrogate-Key) {
		set beresp.http.xkey = beresp.http.Surrogate-Key;
		if (beresp.http.Cache-Control !~ "immutable") {
			set beresp.ttl = 1d;
		}
		# Sent while the next one is fetched, and for a week while the service is away.
		set beresp.grace = 7d;
		return (deliver);
	}
}

sub vcl_deliver {
	# The contract has this header, which nothing here depends on.
	if (req.url ~ "^/api/v1") {
		set resp.http.Vary = "Accept";
	}
	unset resp.http.xkey;
	unset resp.http.Surrogate-Key;
	unset resp.http.Cache-Tag;
}
