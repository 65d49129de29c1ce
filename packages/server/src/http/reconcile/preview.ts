// HTML that a client shows: a small page for a record, and smaller pieces for records, properties and types.
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'
import { escaped } from '../html.ts'
import { recordPath } from '../v2/record-key.ts'
import { type RecordPlace, recordAt, summaryOf } from './entity.ts'
import { type Property, PropertyReader, type PropertyValue, propertiesOf } from './properties.ts'

export const PREVIEW_SIZE = { width: 400, height: 200 } as const

const STYLE =
  'body{margin:0;padding:8px 12px;font:13px/1.4 system-ui,sans-serif;color:#222;background:#fff}' +
  'h1{margin:0;font-size:16px}p{margin:0 0 6px;color:#555}' +
  'table{border-spacing:0}th{padding-right:12px;text-align:left;font-weight:normal;color:#555}' +
  'a{color:#0b57d0}'

const styleHash = new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')

/** Nothing but its own style is loaded or run. Clients show it in a frame, wherever they are. */
export const PREVIEW_POLICY =
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; ` +
  'frame-ancestors http: https:'

export function previewPage(release: Release, place: RecordPlace, baseUrl: string): string {
  const { entity, record } = recordAt(release, place)
  const { name: shown, description } = summaryOf(release, place)
  const name = escaped(shown)
  const url = escaped(`${baseUrl}${recordPath(entity, record)}?facts=true`)
  const rows = knownFields(release, place).map(
    ([field, value]) => `<tr><th scope="row">${escaped(field)}</th><td>${escaped(value)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<h1><a href="${url}" target="_blank" rel="noopener">${name}</a></h1>
<p>${escaped(description)}</p>
<table>${rows.join('\n')}</table>
</body>
</html>
`
}

/** The record's own fields that have a value, but for copies of others. */
function knownFields(release: Release, place: RecordPlace): [name: string, value: string][] {
  const { entity } = place
  const reader = new PropertyReader(release, place)
  return [...propertiesOf(entity).values()]
    .filter(({ id, field }) => field === id && entity.fields[field]?.kind !== 'copy')
    .flatMap(({ id }) => reader.values(id).map((value): [string, string] => [id, textOf(value)]))
}

function textOf(value: PropertyValue): string {
  if ('name' in value) return value.name
  const [text] = Object.values(value)
  return typeof text === 'string' ? text : JSON.stringify(text)
}

export function entityFlyout(release: Release, place: RecordPlace): string {
  const { name, description } = summaryOf(release, place)
  const fields = knownFields(release, place).map(([field, value]) => `${field}: ${value}`)
  return paragraphs(name, description, fields.join(', '))
}

export const propertyFlyout = ({ id, description }: Property): string => paragraphs(id, description)

export const typeFlyout = (release: Release, { name, plural, title }: Entity): string =>
  paragraphs(title, plural, `${release.entity(name).count} records`)

const paragraphs = (title: string, ...texts: readonly string[]): string =>
  `<p><b>${escaped(title)}</b></p>${texts.map((text) => `<p>${escaped(text)}</p>`).join('')}`
