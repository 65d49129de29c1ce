// Opens and closes the nodes of the tree in place: the page with the node opened is fetched, and its tree put in.

export function enhanceTree(tree: HTMLElement): void {
  tree.addEventListener('click', (event) => {
    const toggle = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.toggle') : null
    if (toggle === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const id = toggle.closest('li')?.id ?? ''
    void replace(tree, toggle.href).then((isReplaced) => {
      if (!isReplaced) return location.assign(toggle.href)
      history.pushState(null, '', toggle.href)
      document.getElementById(id)?.querySelector<HTMLElement>('a.toggle')?.focus()
    })
  })
  addEventListener('popstate', () => void replace(tree, location.href))
}

async function replace(tree: HTMLElement, address: string): Promise<boolean> {
  try {
    const response = await fetch(address)
    if (!response.ok) return false
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.querySelector('[data-tree]')
    if (found === null) return false
    tree.replaceChildren(...found.childNodes)
    return true
  } catch {
    return false
  }
}
