// The name, texts, links, colours and logo that an institution gives to its pages: site.json in a home.
import { join } from 'node:path'
import { parseJson } from '../base/json.ts'
import { messageOf, OperationalError } from '../base/operational-error.ts'
import { mismatchesText, objectOf, optional, parse, suchThat, type TypeOf, text } from '../base/schema.ts'
import { address, line } from '../base/texts.ts'
import { readBytesSync, readTextSync } from '../release/files/regular-file.ts'

export const SITE_FILE = 'site.json'
const MAX_SITE_BYTES = 20_000
const MAX_LOGO_BYTES = 100_000
const MAX_NAME = 60
const MAX_TEXT = 300

const lineOf = (max: number) => suchThat(line, `a line of at most ${max} letters`, (value) => value.length <= max)
const colour = text(7, /^#[0-9a-f]{6}$/i, 'a colour such as #9a3f1d')

const MIN_CONTRAST = 4.5
/** The grounds that the accent stands on as text: the paper of the pages, and what is raised from it. */
const GROUNDS = { light: ['#fbfaf7', '#f3f0e9'], dark: ['#15181c', '#1e2228'] } as const

const accentOn = (mode: keyof typeof GROUNDS) =>
  suchThat(
    colour,
    `a colour with a contrast of at least ${MIN_CONTRAST} to ${GROUNDS[mode].join(' and ')}, the ground of ${mode} pages`,
    (value) => GROUNDS[mode].every((ground) => contrast(value, ground) >= MIN_CONTRAST),
  )

const members = {
  name: lineOf(MAX_NAME),
  description: optional(objectOf({ es: lineOf(MAX_TEXT), en: lineOf(MAX_TEXT) })),
  contact: optional(address),
  legal: optional(address),
  colours: optional(objectOf({ light: accentOn('light'), dark: accentOn('dark') })),
  logo: optional(text(100, /^[\w-]+\.(?:svg|png)$/, 'the name of an SVG or PNG file beside it, such as logo.svg')),
}
const siteSchema = objectOf(members)

/** A file of the site that pages name, under a name with a hash of its content. */
export type SiteFile = { readonly name: string; readonly type: string; readonly content: Uint8Array }

export type Site = TypeOf<typeof siteSchema> & {
  readonly logoFile: SiteFile | undefined
  readonly stylesheet: SiteFile | undefined
}

/** The relative luminance and the contrast of WCAG 2. */
export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(value: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(value.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The site of a home; undefined if it has none. What is wrong with it is refused in words. */
export function readSite(home: string): Site | undefined {
  const path = join(home, SITE_FILE)
  const json = readTextSync(path, MAX_SITE_BYTES)
  if (json === undefined) return undefined
  const refuse = (fault: string) => new OperationalError(`${path}: ${fault}. Mend it, or take it away.`)
  let value: unknown
  try {
    value = parseJson(json)
  } catch (error) {
    throw refuse(`it is no JSON: ${messageOf(error)}`)
  }
  const result = parse(siteSchema, value)
  if ('mismatches' in result) throw refuse(mismatchesText(result))
  const unknown = Object.keys(value as object).find((name) => !Object.hasOwn(members, name))
  if (unknown !== undefined)
    throw refuse(`${JSON.stringify(unknown)} is no member; known are ${Object.keys(members).join(', ')}`)
  const { logo, colours } = result.value
  return {
    ...result.value,
    logoFile: logo === undefined ? undefined : logoIn(home, logo, refuse),
    stylesheet: colours && named('site.css', 'text/css; charset=utf-8', Buffer.from(stylesheetOf(colours))),
  }
}

type Colours = NonNullable<TypeOf<typeof siteSchema>['colours']>

const stylesheetOf = ({ light, dark }: Colours): string =>
  `:root{--accent:${light};--accent-tint:color-mix(in srgb,${light} 10%,${GROUNDS.light[0]})}` +
  `@media screen and (prefers-color-scheme:dark){:root{--accent:${dark};--accent-tint:color-mix(in srgb,${dark} 10%,${GROUNDS.dark[0]})}}`

const HASH_DIGITS = 12

function named(name: string, type: string, content: Uint8Array): SiteFile {
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, HASH_DIGITS)
  return { name: name.replace('.', `-${hash}.`), type, content }
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Markup of an SVG that runs, loads or includes something. */
const ACTIVE_SVG =
  /<[\w-]*:?(?:script|foreignObject|iframe|set|animate\w*|handler)\b|\son\w+\s*=|javascript:|<!DOCTYPE|<!ENTITY|<\?xml-stylesheet|@import|url\(\s*['"]?(?!#|data:image)|\bhref\s*=\s*["']?\s*(?!#|data:image\/(?:png|jpeg))/i

function logoIn(home: string, name: string, refuse: (fault: string) => Error): SiteFile {
  const content = readBytesSync(join(home, name), MAX_LOGO_BYTES)
  if (content === undefined) throw refuse(`logo is ${JSON.stringify(name)}, which is not in ${home}`)
  if (name.endsWith('.png')) {
    if (!PNG.equals(content.subarray(0, PNG.length))) throw refuse(`logo ${name} is no PNG`)
    return named('logo.png', 'image/png', content)
  }
  const svg = content.toString()
  if (!/<svg[\s>]/.test(svg)) throw refuse(`logo ${name} is no SVG`)
  const [active] = ACTIVE_SVG.exec(svg) ?? []
  if (active !== undefined)
    throw refuse(
      `logo ${name} has ${JSON.stringify(active.trim())}: a logo runs and loads nothing. Save it as plain SVG`,
    )
  return named('logo.svg', 'image/svg+xml', content)
}

/** The file of a site by the last part of its address. */
export const siteFile = (site: Site | undefined, name: string): SiteFile | undefined =>
  [site?.logoFile, site?.stylesheet].find((file) => file?.name === name)

/** The site of a home that is served: one that became wrong after the start is left out. */
export function servedSite(home: string): Site | undefined {
  try {
    return readSite(home)
  } catch (error) {
    if (error instanceof OperationalError) return undefined
    throw error
  }
}
