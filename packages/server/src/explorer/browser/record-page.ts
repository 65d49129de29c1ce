// The address of the page of a record that API v2 gave.

/** By collection: the word for a record, the field of its name, the sign between the parts of its key, its name with the word. */
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
  const [, own, , last] = new URL(url).pathname.replace(/^.*?\/api\/v2\//, '').split('/')
  return [own, last].filter((part) => part !== undefined).join(separator)
}

type Lineage = {
  readonly breadcrumb: readonly string[]
  readonly parents: readonly { readonly collection: string }[]
}

/** The names of the ancestors of a record, each isolated; one whose own ancestor has the same name gets the word for its kind. */
export const ancestorNames = ({ breadcrumb, parents }: Lineage): string[] =>
  breadcrumb.map((name, at) => {
    const collection = name === breadcrumb[at + 1] ? parents[at]?.collection : undefined
    const [, , , withKind = '{name}'] = collectionsOfPage()[collection ?? ''] ?? []
    return `\u2068${withKind.replace('{name}', () => name)}\u2069`
  })
