// The pages of the localities in memory, and the answer to a request for one of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const NEWLINE = 0x0a
const directory = process.env.BENCH_PAGES
const base = process.env.BENCH_BASE_URL
const facts = JSON.parse(readFileSync(join(directory, 'facts.json'), 'utf8'))
const etags = readFileSync(join(directory, 'etags.txt'), 'latin1').trimEnd().split('\n')
const bodies = linesOf(readFileSync(join(directory, 'pages.txt')))

function linesOf(bytes) {
  const lines = []
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(NEWLINE, start)
    lines.push(bytes.subarray(start, end))
  }
  return lines
}

const link = (page, relation) => `<${base}/api/v1/localidades?format=api&page=${page}>; rel="${relation}"`

function linksOf(page) {
  const next = page < facts.totalPages ? link(page + 1, 'next') : ''
  if (page === 1) return next
  return next === '' ? link(page - 1, 'prev') : `${link(page - 1, 'prev')}, ${next}`
}

/** The status, headers and body for the text of the page parameter, or undefined where there is no such page. */
export function answerPage(text, ifNoneMatch) {
  const page = text === undefined || text === null ? 1 : Number(text)
  const body = bodies[page - 1]
  if (body === undefined) return undefined
  const etag = etags[page - 1]
  const headers = {
    'Content-Type': 'application/json',
    Allow: 'GET, HEAD, OPTIONS',
    Vary: 'Accept',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
    'X-Page': page,
    'X-Per-Page': 10,
    'X-Total': facts.total,
    'X-Total-Pages': facts.totalPages,
    Link: linksOf(page),
    ETag: etag,
    'Last-Modified': facts.lastModified,
    'Cache-Control': 'public, no-cache',
  }
  if (ifNoneMatch === etag) return { status: 304, headers, body: undefined }
  headers['Content-Length'] = body.length
  return { status: 200, headers, body }
}
