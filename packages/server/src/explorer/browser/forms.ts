// Forms that go to an address leave out what is empty, so that the address is the one to share.

export function enhanceForms(): void {
  document.addEventListener('submit', ({ target }) => {
    if (!(target instanceof HTMLFormElement) || target.method !== 'get') return
    const empty = [...target.elements].filter((field) => 'value' in field && 'disabled' in field && field.value === '')
    for (const field of empty)
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.disabled = true
    // When the reader comes back to this page, the fields must be there again.
    setTimeout(() => {
      for (const field of empty)
        if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.disabled = false
    })
  })
}
