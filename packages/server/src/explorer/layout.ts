// The frame of every page: head, header with navigation and search, footer with the release.
import { version } from '../base/version.ts'
import { type Html, html } from '../http/html.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'
import { assetAddress, siteFileAddress } from './assets.ts'
import { LANGUAGES, type LanguageCode, languageOf } from './language.ts'
import {
  DOCS_PATH,
  EXPLORE_PATH,
  LANGUAGE_PARAMETER,
  MAP_PATH,
  PICKER_PATH,
  RELEASES_PATH,
  RESOLVER_PATH,
  TREE_PATH,
  withQuery,
} from './links.ts'
import { sourceTitle } from './names.ts'
import { creditsOf } from './packages.ts'
import { searchAttributes, searchBox } from './search-box.ts'
import { linked } from './values.ts'
import { type ExplorerPage, href, isolated, shortDigest, type View } from './view.ts'
import type { Words } from './words/words.ts'
import { filled } from './words/words.ts'

/** The pages of the navigation, in order. */
const NAVIGATION: readonly (readonly [path: string, label: (words: Words) => string])[] = [
  [EXPLORE_PATH, ({ catalogs }) => catalogs],
  [TREE_PATH, ({ tree }) => tree],
  [MAP_PATH, ({ map }) => map],
  [RESOLVER_PATH, ({ resolver }) => resolver],
  [RELEASES_PATH, ({ releases }) => releases],
  [DOCS_PATH, ({ docs }) => docs],
  [PICKER_PATH, ({ picker }) => picker],
]

export const rendered = (view: View, page: ExplorerPage): Html => {
  const { language, words, site } = view
  return html`<!doctype html>
<html lang="${language.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(view, page)}</title>
<meta name="description" content="${page.description ?? site?.description?.[language.code] ?? words.home.description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assetAddress('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetAddress('explorer.css')}">${
    site?.stylesheet &&
    html`
<link rel="stylesheet" href="${siteFileAddress(site.stylesheet)}">`
  }
<script type="module" src="${assetAddress('explorer.js')}"></script>
</head>
<body ${searchAttributes(view)}>
<a class="skip" href="#content">${words.skip}</a>
<header class="site">
<a class="brand" href="${href(view, '/')}">${site?.logoFile && html`<img src="${siteFileAddress(site.logoFile)}" alt="" height="32">`}${siteName(view)}</a>
<nav aria-label="${words.navigation}"><ul>${NAVIGATION.map(([path, label]) => navigationItem(view, path, label(words)))}</ul></nav>
${page.hasSearch !== true && searchBox(view, { id: 'site-search', action: EXPLORE_PATH, isCompact: true })}
${languageSwitch(view)}
</header>
${notices(view)}
<main id="content" tabindex="-1">
${page.main}
</main>
${footer(view)}
</body>
</html>
`
}

const MAX_TITLE = 120

/** A name may be of any length. */
const titleOf = (view: View, { title }: ExplorerPage): string => {
  const short = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title
  const name = siteName(view)
  return short.startsWith(name) ? short : `${short} · ${name}`
}

const siteName = ({ site }: View): string => site?.name ?? 'Nomenclator'

function navigationItem(view: View, path: string, label: string): Html {
  const isCurrent = view.path === path
  return html`<li><a href="${href(view, path)}"${isCurrent && html` aria-current="page"`}>${label}</a></li>`
}

/** Links to the page in the other languages: the address and a cookie keep the choice. */
function languageSwitch(view: View): Html {
  const { path, pairs, carried, language, words } = view
  const kept = [...pairs, ...carried.filter(([name]) => name !== LANGUAGE_PARAMETER)]
  const link = (code: LanguageCode) => {
    const others: QueryPairs = [...kept, [LANGUAGE_PARAMETER, code]]
    const { languageName } = languageOf(code).words
    const isCurrent = code === language.code
    return html`<li><a href="${withQuery(path, others)}" lang="${code}" hreflang="${code}"${isCurrent && html` aria-current="true"`}>${code.toUpperCase()}<span class="unseen"> – ${languageName}</span></a></li>`
  }
  return html`<nav class="languages" aria-label="${words.languageSwitch}"><ul>${LANGUAGES.map(link)}</ul></nav>`
}

function notices({ api, words, language, path, carried }: View): Html | undefined {
  const { release, isCurrent } = api
  const { digest, manifest } = release
  if (isCurrent && !manifest.source.synthetic) return undefined
  const kept = carried.filter(([name]) => name !== 'release')
  return html`<div class="notices" role="note">
${manifest.source.synthetic && html`<p>${words.release.synthetic}</p>`}
${!isCurrent && html`<p>${filled(words.release.viewing, shortDigest(digest), language.date(manifest.built))} <a href="${withQuery(path, kept)}">${words.release.toCurrent}</a></p>`}
</div>`
}

function footer(view: View): Html {
  const { api, words, language, site } = view
  const { digest, manifest } = api.release
  return html`<footer class="site">
<p><a href="${href(view, RELEASES_PATH)}">${filled(words.release.served, shortDigest(digest), language.date(manifest.built))}</a></p>
<p>${words.footer.source}: ${isolated(sourceTitle(view, manifest.source.title))}</p>
<p>${words.footer.program}: Nomenclator ${version}</p>
${site?.contact && html`<p>${linked(words.footer.contact, site.contact)}</p>`}${site?.legal && html`<p>${linked(words.footer.legal, site.legal)}</p>`}
${creditsOf(view)}
</footer>`
}
