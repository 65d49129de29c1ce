// The configuration by which nginx serves a site of files as the contract of API v1 says.
import { V1_PATH } from '../../base/api-v1.ts'
import { ALLOW, CACHE_CONTROL, COMMON_HEADERS, type Headers, totalHeaders } from '../../http/exchange.ts'
import type { ProblemKind } from '../../http/problem.ts'
import {
  badFormatDetail,
  badPageDetail,
  lastPageDetail,
  PREFLIGHT_HEADERS,
  PROBLEM_HEADERS,
  PROBLEM_TYPE,
  problemBody,
  type Site,
  type SiteCollection,
  statusOf,
} from './site.ts'

/** Codes that no server sends: they only lead from a condition to the response. */
const TO = { notFound: 561, format: 562, page: 563, options: 564, method: 565, index: 566, slash: 567 } as const

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const headerLines = (headers: Headers, indent = '\t\t') =>
  Object.entries(headers)
    .map(([name, value]) => `${indent}add_header ${name} ${quoted(value)} always;`)
    .join('\n')

const problemLocation = (name: string, kind: ProblemKind, detail: string, headers: Headers = {}) => `
	location ${name} {
		default_type ${PROBLEM_TYPE};
${headerLines({ ...PROBLEM_HEADERS, ...headers })}
		return ${statusOf(kind)} ${quoted(problemBody(kind, detail, '$nomenclator_instance'))};
	}
`

/** A value for each collection. */
const mapOf = (name: string, collections: readonly SiteCollection[], value: (one: SiteCollection) => string | number) =>
  `map $nomenclator_collection ${name} {
${collections.map((one) => `	${one.name} ${quoted(String(value(one)))};`).join('\n')}
}`

const HASH_ENTRIES = 4

export function nginxConfig({ directory, release, baseUrl, collections }: Site): string {
  const names = collections.map(({ name }) => name).join('|')
  const index = Object.fromEntries(collections.map(({ name, path }) => [name, `$nomenclator_base_url${path}`]))
  const paths = [V1_PATH, ...collections.map(({ path }) => path)].join(', ')
  const pages = collections.reduce((sum, { totalPages }) => sum + totalPages, 0)
  const hashSize = 2 ** Math.max(11, Math.ceil(Math.log2(pages * HASH_ENTRIES)))
  const pageHeaders = {
    ...COMMON_HEADERS,
    'X-Page': '$nomenclator_page',
    ...totalHeaders(0, 0),
    'X-Total': '$nomenclator_total',
    'X-Total-Pages': '$nomenclator_total_pages',
    Link: '$nomenclator_link',
    'Cache-Control': CACHE_CONTROL,
  }
  return `# Release ${release} of Nomenclator as a site of files: goes into the http block of nginx, as in /etc/nginx/conf.d/.
# Change listen and server_name as needed. After another export: nginx -s reload, which is also the swap to its release.
# Where the http block has these two sizes already, the larger ones stay.
map_hash_max_size ${hashSize};
map_hash_bucket_size 512;

map $host $nomenclator_base_url {
	default ${quoted(baseUrl ?? '$scheme://$http_host')};
}
# A path is taken as it was sent: what is spelled in another way is another path.
map $request_uri $nomenclator_kind {
	default none;
	'~^${V1_PATH}/(?:${names})(?:\\?|$)' page;
	'~^${V1_PATH}/(?:${names})/(?:\\?|$)' slash;
	'~^${V1_PATH}(?:\\?|$)' index;
	'~^${V1_PATH}/(?:\\?|$)' slash;
}
map $request_uri $nomenclator_collection {
	'~^${V1_PATH}/(?<nomenclator_name>${names})(?:\\?|$)' $nomenclator_name;
}
map $request_uri $nomenclator_instance {
	default /;
	'~^(?<nomenclator_path>[A-Za-z0-9/._~%:@!*+,;=-]{1,200})(?:\\?|$)' $nomenclator_path;
}
map $request_uri $nomenclator_without_slash {
	'~^(?<nomenclator_trimmed>[^?]*)/(?:\\?|$)' $nomenclator_trimmed;
}
map $args $nomenclator_format {
	default good;
	'~(?:^|&)format(?:=[^&]*)?&(?:.*&)?format(?:[=&]|$)' bad;
	'~(?:^|&)format=(?:api|json)(?:&|$)' good;
	'~(?:^|&)format(?:[=&]|$)' bad;
}
map $args $nomenclator_number {
	default good;
	'~(?:^|&)page(?:=[^&]*)?&(?:.*&)?page(?:[=&]|$)' bad;
	'~(?:^|&)page=[1-9][0-9]{0,14}(?:&|$)' good;
	'~(?:^|&)page(?:[=&]|$)' bad;
}
map $args $nomenclator_page {
	default 1;
	'~(?:^|&)page=(?<nomenclator_digits>[1-9][0-9]{0,14})(?:&|$)' $nomenclator_digits;
}
${mapOf('$nomenclator_total', collections, ({ total }) => total)}
${mapOf('$nomenclator_total_pages', collections, ({ totalPages }) => totalPages)}
${mapOf('$nomenclator_beyond', collections, lastPageDetail)}
map $nomenclator_collection/$nomenclator_page $nomenclator_link {
	include ${quoted(`${directory}/links.map`)};
}

server {
	listen 80;
	server_name _;
	server_tokens off;
	absolute_redirect off;
	if_modified_since exact;
	max_ranges 0;
	gzip off;
	types {}
	default_type application/json;

	location / {
		root ${quoted(directory)};
		error_page 404 = @beyond_last;
		error_page 412 = @precondition;
		error_page ${TO.notFound} = @not_found;
		error_page ${TO.format} = @bad_format;
		error_page ${TO.page} = @bad_page;
		error_page ${TO.options} = @options;
		error_page ${TO.method} 405 = @method;
		error_page ${TO.index} = @index;
		error_page ${TO.slash} = @without_slash;
		if ($nomenclator_kind = none) { return ${TO.notFound}; }
		if ($request_method = OPTIONS) { return ${TO.options}; }
		if ($request_method !~ ^(?:GET|HEAD)$) { return ${TO.method}; }
		if ($nomenclator_kind = slash) { return ${TO.slash}; }
		if ($nomenclator_kind = index) { return ${TO.index}; }
		if ($nomenclator_format = bad) { return ${TO.format}; }
		if ($nomenclator_number = bad) { return ${TO.page}; }
		rewrite ^ /pages/$nomenclator_collection/$nomenclator_page.json break;
${headerLines(pageHeaders)}
	}

	location @index {
${headerLines({ ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL })}
		return 200 ${quoted(JSON.stringify(index))};
	}

	location @without_slash {
${headerLines(COMMON_HEADERS)}
		return 308 $nomenclator_without_slash$is_args$args;
	}

	location @options {
		default_type '';
${headerLines(PREFLIGHT_HEADERS)}
		return 200 '';
	}
${problemLocation('@not_found', 'not-found', `Known paths are ${paths}.`)}${problemLocation('@bad_format', 'bad-parameter', badFormatDetail)}${problemLocation('@bad_page', 'bad-parameter', badPageDetail)}${problemLocation(
  '@beyond_last',
  'page-beyond-last',
  'Page $nomenclator_page was asked for; $nomenclator_beyond.',
  { ...totalHeaders(0, 0), 'X-Total': '$nomenclator_total', 'X-Total-Pages': '$nomenclator_total_pages' },
)}${problemLocation('@precondition', 'precondition-failed', 'What is there is not what the client expects; a request without the condition gives it.')}${problemLocation('@method', 'method-not-allowed', `$request_method was used; allowed are ${ALLOW}.`)}}
`
}
