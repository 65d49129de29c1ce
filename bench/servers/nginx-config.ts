// nginx as fast as it goes with one file a page and the headers of the contract.
import type { Pages } from './pages.ts'

export type NginxPlace = { readonly port: number; readonly workers: number; readonly directory: string }

/**
 * - The page number is an argument, so a map turns it into a name and `alias` opens that file at once; `try_files`
 *   would look it up a second time.
 * - nginx cannot add or subtract, and files have no headers of their own: the Link of each page stands in a map, which
 *   is one lookup in a hash table. The base address is written out in it, as it is configured in the other servers.
 *   Regular expressions that count in decimal, and sendfile off, were tried too, and were not cheaper.
 * - `max_ranges 0` leaves Accept-Ranges out, which the contract does not have.
 * - The ETag is nginx's own, made of time and size: one set by add_header would not be compared with If-None-Match.
 */
export function nginxConfig({ port, workers, directory }: NginxPlace, pages: Pages, runsAsRoot: boolean): string {
  return `${runsAsRoot ? 'user root;\n' : ''}daemon off;
worker_processes ${workers};
worker_rlimit_nofile 65536;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log crit;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off;
  log_not_found off;
  server_tokens off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  types {}
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  open_file_cache max=${pages.totalPages + 1000} inactive=1d;
  open_file_cache_valid 1d;
  map_hash_max_size 131072;
  map_hash_bucket_size 256;
  map $arg_page $page { default $arg_page; "" 1; }
  map $page $link { include ${directory}/links.map; }
  server {
    listen 127.0.0.1:${port} backlog=4096${workers > 1 ? ' reuseport' : ''};
    location = /api/v1/localidades {
      alias ${pages.files}/$page;
      max_ranges 0;
      add_header Allow "GET, HEAD, OPTIONS";
      add_header Vary Accept;
      add_header Access-Control-Allow-Origin *;
      add_header Access-Control-Expose-Headers "X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow";
      add_header X-Page $page;
      add_header X-Per-Page 10;
      add_header X-Total ${pages.total};
      add_header X-Total-Pages ${pages.totalPages};
      add_header Link $link;
      add_header Cache-Control "public, no-cache";
    }
  }
}
`
}

export function linkLines(totalPages: number, address: string): string {
  const to = (page: number, relation: string) => `<${address}?format=api&page=${page}>; rel="${relation}"`
  return Array.from({ length: totalPages }, (_, index) => {
    const page = index + 1
    const links = [page > 1 ? [to(page - 1, 'prev')] : [], page < totalPages ? [to(page + 1, 'next')] : []].flat()
    return `${page} '${links.join(', ')}';\n`
  }).join('')
}
