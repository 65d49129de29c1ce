// The looks of the page at the root.

export const style = `:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #d9dee6; --page: #fbfbf9; --accent: #8a3b12; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a2acba; --line: #343b46; --page: #15181d; --accent: #f0a273; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.55 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 4rem 1.25rem; }
h1 { margin: 0; font: 600 2.6rem/1.1 Georgia, "Times New Roman", serif; letter-spacing: -0.01em; }
a { color: var(--accent); text-underline-offset: 0.2em; }
code { font: 0.88em ui-monospace, monospace; }
ul { list-style: none; margin: 2rem 0; padding: 0; border-top: 1px solid var(--line); }
li a {
  display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: 0.8rem 0.5rem;
  border-bottom: 1px solid var(--line); color: inherit; text-decoration: none;
}
li a:hover, li a:focus-visible { background: color-mix(in srgb, var(--accent) 9%, transparent); }
li span { font-variant-numeric: tabular-nums; }
li code { color: var(--soft); grid-column: 1 / -1; }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.85rem; }
.warning { padding: 0.6rem 0.9rem; border-left: 4px solid var(--accent); font-weight: 600; }
`
