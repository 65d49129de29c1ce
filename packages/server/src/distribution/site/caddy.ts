// The configuration by which Caddy serves a site of files as the contract of API v1 says.
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

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const headerLines = (headers: Headers, indent: string) =>
  Object.entries(headers)
    .map(([name, value]) => `${indent}${name} ${quoted(value)}`)
    .join('\n')

const problem = (matcher: string, kind: ProblemKind, detail: string, headers: Headers = {}) => `
		handle ${matcher} {
			header {
${headerLines({ 'Content-Type': PROBLEM_TYPE, ...PROBLEM_HEADERS, ...headers }, '\t\t\t\t')}
			}
			respond \`${problemBody(kind, detail, '{instance}')}\` ${statusOf(kind)}
		}
`

/** A page and the number after it: Caddy cannot count, so the digits that change are replaced. */
function* successors(maxDigits: number): Generator<[pattern: string, next: string]> {
  for (let nines = 0; nines < maxDigits; nines++) {
    for (let digit = 0; digit < 9; digit++)
      yield [`^([0-9]*)${digit}${'9'.repeat(nines)}$`, `\${1}${digit + 1}${'0'.repeat(nines)}`]
    yield [`^${'9'.repeat(nines + 1)}$`, `1${'0'.repeat(nines + 1)}`]
  }
}

function* predecessors(maxDigits: number): Generator<[pattern: string, previous: string]> {
  for (let zeros = 0; zeros < maxDigits; zeros++) {
    if (zeros > 0) yield [`^1${'0'.repeat(zeros)}$`, '9'.repeat(zeros)]
    for (let digit = 1; digit <= 9; digit++)
      yield [`^([0-9]*)${digit}${'0'.repeat(zeros)}$`, `\${1}${digit - 1}${'9'.repeat(zeros)}`]
  }
}

const counting = (pairs: Iterable<[string, string]>) =>
  [...pairs].map(([pattern, number]) => `			~${pattern} ${quoted(number)}`).join('\n')

/** Which neighbours a page has: the first none before it, the last none after it. */
const neighboursOf = ({ name, totalPages }: SiteCollection) =>
  totalPages <= 1 ? [] : [`			~^${name}/1$ next`, `			~^${name}/${totalPages}$ prev`, `			~^${name}/ both`]

const linkTo = (number: string, rel: string) =>
  `<{base_url}${V1_PATH}/{collection}?format=api&page={${number}}>; rel="${rel}"`
const PREV = linkTo('previous', 'prev')
const NEXT = linkTo('next', 'next')

export function caddyConfig({ directory, release, lastModified, baseUrl, collections }: Site): string {
  const names = collections.map(({ name }) => name).join('|')
  const index = Object.fromEntries(collections.map(({ name, path }) => [name, `{base_url}${path}`]))
  const paths = [V1_PATH, ...collections.map(({ path }) => path)].join(', ')
  const maxDigits = String(Math.max(...collections.map(({ totalPages }) => totalPages))).length
  const pageHeaders = {
    'Content-Type': 'application/json',
    ...COMMON_HEADERS,
    'X-Page': '{page}',
    ...totalHeaders(0, 0),
    'X-Total': '{total}',
    'X-Total-Pages': '{total_pages}',
    // Caddy leaves it out of a 304.
    'Last-Modified': lastModified,
    'Cache-Control': CACHE_CONTROL,
  }
  const totals = collections.map(
    (one) => `			${one.name} ${one.total} ${one.totalPages} ${quoted(lastPageDetail(one))}`,
  )
  return `# Release ${release} of Nomenclator as a site of files. Set SITE to a name for TLS with a certificate by itself.
# After another export: caddy reload, which is also the swap to its release.
{$SITE:http://:80} {
	root * ${quoted(directory)}
	route {
		header -Server
		# Parts of a page are not offered.
		request_header -Range
		map {host} {base_url} {
			default ${quoted(baseUrl ?? '{scheme}://{hostport}')}
		}
		# A path is taken as it was sent: what is spelled in another way is another path.
		map {http.request.orig_uri} {instance} {
			~^([A-Za-z0-9/._~%:@!*+,;=-]{1,200})(?:\\?|$) "\${1}"
			default "/"
		}
		map {http.request.orig_uri} {collection} {
			~^${V1_PATH}/(${names})(?:\\?|$) "\${1}"
			default ""
		}
		map {query} {page} {
			~(?:^|&)page=([1-9][0-9]{0,14})(?:&|$) "\${1}"
			default "1"
		}
		map {collection} {total} {total_pages} {beyond} {
${totals.join('\n')}
		}
		map {page} {next} {
${counting(successors(maxDigits))}
		}
		map {page} {previous} {
${counting(predecessors(maxDigits))}
		}
		map {collection}/{page} {neighbours} {
${collections.flatMap(neighboursOf).join('\n')}
			default none
		}

		@slash vars_regexp slash {uri} ^(${V1_PATH}(?:/(?:${names}))?)/(\\?.*)?$
		@known vars_regexp {uri} ^${V1_PATH}(?:/(?:${names}))?(?:\\?|$)
		@index vars_regexp {uri} ^${V1_PATH}(?:\\?|$)
		@unknown {
			not vars_regexp {uri} ^${V1_PATH}(?:/(?:${names}))?/?(?:\\?|$)
		}
		@options method OPTIONS
		@method not method GET HEAD
		@bad_format expression \`{query}.matches("(?:^|&)format(?:[=&]|$)") && (!{query}.matches("(?:^|&)format=(?:api|json)(?:&|$)") || {query}.matches("(?:^|&)format(?:=[^&]*)?&(?:.*&)?format(?:[=&]|$)"))\`
		@bad_page expression \`{query}.matches("(?:^|&)page(?:[=&]|$)") && (!{query}.matches("(?:^|&)page=[1-9][0-9]{0,14}(?:&|$)") || {query}.matches("(?:^|&)page(?:=[^&]*)?&(?:.*&)?page(?:[=&]|$)"))\`
		@missing not file /pages/{collection}/{page}.json
		@prev vars {neighbours} prev
		@next vars {neighbours} next
		@both vars {neighbours} both
${problem('@unknown', 'not-found', `Known paths are ${paths}.`)}
		handle @options {
			header {
${headerLines(PREFLIGHT_HEADERS, '\t\t\t\t')}
			}
			respond 200
		}
${problem('@method', 'method-not-allowed', `{method} was used; allowed are ${ALLOW}.`)}
		handle @slash {
			header {
${headerLines({ ...COMMON_HEADERS, Location: '{re.slash.1}{re.slash.2}' }, '\t\t\t\t')}
			}
			respond 308
		}
		handle @index {
			header {
${headerLines({ 'Content-Type': 'application/json', ...COMMON_HEADERS, 'Cache-Control': CACHE_CONTROL }, '\t\t\t\t')}
			}
			respond \`${JSON.stringify(index)}\` 200
		}
${problem('@bad_format', 'bad-parameter', badFormatDetail)}${problem('@bad_page', 'bad-parameter', badPageDetail)}${problem(
  '@missing',
  'page-beyond-last',
  'Page {page} was asked for; {beyond}.',
  { ...totalHeaders(0, 0), 'X-Total': '{total}', 'X-Total-Pages': '{total_pages}' },
)}
		handle {
			header @prev Link ${quoted(PREV)}
			header @next Link ${quoted(NEXT)}
			header @both Link ${quoted(`${PREV}, ${NEXT}`)}
			header {
				defer
				-Accept-Ranges
${headerLines(pageHeaders, '\t\t\t\t')}
			}
			rewrite * /pages/{collection}/{page}.json
			file_server
		}
	}
}
`
}
