// Elements that scripts add to a page.

type Attributes = Readonly<Record<string, string>>

/** An element with attributes and content; texts are text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  made.append(...content)
  return made
}

export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value)
}

/** A text that is isolated, so that a name from right to left does not turn around what follows it. */
export const isolated = (text: string): HTMLElement => element('bdi', {}, text)
