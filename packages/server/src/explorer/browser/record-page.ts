// The address of the page of a record that API v2 gave.

/** What a record is called, which field is its name, what is between the parts of its key, and its name with what it is, by collection. */
type Collections = Readonly<
  Record<string, readonly [label: string, nameField: string, separator: string, withKind: string]>
>

let collections: Collections | undefined

/** The collections of the page, which are an attribute of its body. */
export function collectionsOfPage(): Collections {
  collections ??= JSON.parse(document.body.dataset.collections || '{}') as Collections
  return collections
}

/** The parameters that every page has and its links keep. */
const CARRIED = ['lang', 'release']

export function recordPage({ collection, url }: { readonly collection: string; readonly url: string }): string {
  const [, , separator = ''] = collectionsOfPage()[collection] ?? []
  const address = `${document.body.dataset.explore ?? ''}/${collection}/${keyIn(url, separator)}`
  const given = new URLSearchParams(location.search)
  const carried = new URLSearchParams(
    CARRIED.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? '']] : [])),
  )
  return carried.size === 0 ? address : `${address}?${carried}`
}

/** The key of a record by its address in API v2, as that of its page has it: with that of its owner, where it has one. */
function keyIn(url: string, separator: string): string {
  const [, own, , below] = new URL(url).pathname.replace(/^.*?\/api\/v2\//, '').split('/')
  return [own, below].filter((part) => part !== undefined).join(separator)
}

type Lineage = {
  readonly breadcrumb: readonly string[]
  readonly parents: readonly { readonly collection: string }[]
}

/** What a record is below, each isolated; one that has the name of what it is below itself is called by what it is, too. */
export const ancestorNames = ({ breadcrumb, parents }: Lineage): string[] =>
  breadcrumb.map((name, at) => {
    const collection = name === breadcrumb[at + 1] ? parents[at]?.collection : undefined
    const [, , , withKind = '{name}'] = collectionsOfPage()[collection ?? ''] ?? []
    return `\u2068${withKind.replace('{name}', () => name)}\u2069`
  })
