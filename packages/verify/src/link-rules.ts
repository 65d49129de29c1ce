// The rules about the header Link.
import type { ChecksById } from './check.ts'
import { pathOf } from './contract.ts'
import { headerCame, type RuleFindings, unless } from './findings.ts'
import type { PageLink } from './link-header.ts'
import { printable } from './printable.ts'
import type { ReceivedPage } from './received-page.ts'

const relationsOf = ({ links }: ReceivedPage): readonly string[] => links.map(({ relation }) => relation)

/** The address before the path of the collection; undefined if the URL has another shape. */
function baseOf({ collection }: ReceivedPage, { url }: PageLink): string | undefined {
  const [base = '', query] = url.split(`${pathOf(collection)}?`)
  const isShaped =
    /^https?:\/\/[^/?#]+/.test(base) && URL.canParse(base) && /^format=api&page=[1-9][0-9]*$/.test(query ?? '')
  return isShaped ? base : undefined
}

/** Finds the entries that do not keep to a rule. */
const wrongEntries = ({ links }: ReceivedPage, isWrong: (link: PageLink) => boolean, expected: string): RuleFindings =>
  links.length === 0
    ? undefined
    : links.filter(isWrong).map(({ text }) => ({ came: `Link: ${printable(text)}`, expected }))

function leadsTo(page: ReceivedPage, relation: 'prev' | 'next', required: number): RuleFindings {
  if (page.linkFault !== undefined) return undefined
  const link = page.links.find((one) => one.relation === relation)
  const expected = `an entry ${relation} with page=${required}`
  if (link === undefined) return unless(false, headerCame('Link', page.header('Link')), expected)
  const number = /[?&]page=([^&#]+)/.exec(link.url)?.[1]
  return number === undefined ? undefined : unless(Number(number) === required, `Link: ${link.text}`, expected)
}

export const linkRules = {
  'link-syntax': {
    page: ({ links, linkFault: fault }) =>
      links.length === 0 && fault === undefined
        ? undefined
        : unless(fault === undefined, fault ?? '', '<URL>; rel="…", and so on'),
  },
  'link-url': {
    page: (page) => {
      const expected = `<${page.linkBase}${pathOf(page.collection)}?format=api&page=…>`
      return wrongEntries(page, (link) => baseOf(page, link) === undefined, expected)
    },
  },
  'link-base': {
    page: (page) => {
      const expected = `${page.linkBase}, or give --base-url if the service is known by that address`
      return wrongEntries(page, (link) => (baseOf(page, link) ?? page.linkBase) !== page.linkBase, expected)
    },
  },
  'link-relations': {
    page: (page) => {
      const relations = relationsOf(page)
      const isKnown = relations.every((relation) => relation === 'prev' || relation === 'next')
      const isOnce = new Set(relations).size === relations.length
      const came = `the relations ${relations.join(', ')}`
      return relations.length === 0 ? undefined : unless(isKnown && isOnce, came, 'prev and next, each at most once')
    },
  },
  'link-prev': { page: (page) => (page.page === 1 ? undefined : leadsTo(page, 'prev', page.page - 1)) },
  'link-next': { page: (page) => (page.isLast === false ? leadsTo(page, 'next', page.page + 1) : undefined) },
  'link-first': {
    page: ({ page, links }) => {
      const link = links.find(({ relation }) => relation === 'prev')
      return page === 1 ? unless(link === undefined, `Link: ${link?.text}`, 'next only') : undefined
    },
  },
  'link-order': {
    page: (page) => {
      const relations = relationsOf(page)
      const [prev, next] = [relations.indexOf('prev'), relations.indexOf('next')]
      if (prev === -1 || next === -1) return undefined
      return unless(prev < next, `the relations ${relations.join(', ')}`, 'prev, next')
    },
  },
} satisfies ChecksById
