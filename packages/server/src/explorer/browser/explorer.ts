// The script of every page. Pages work without it, and better with it.
import { enhanceCopyButtons } from './copy.ts'
import { enhanceForms } from './forms.ts'
import { enhanceReference } from './reference.ts'
import { enhanceSearch, focusSearchAtSlash } from './search.ts'
import { enhanceTree } from './tree.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[role=search]')) enhanceSearch(form)
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-running]')) enhanceReference(form)
for (const tree of document.querySelectorAll<HTMLElement>('[data-tree]')) enhanceTree(tree)
for (const { dataset } of document.querySelectorAll<HTMLElement>('[data-script]')) void import(dataset.script ?? '')
enhanceCopyButtons()
focusSearchAtSlash()
enhanceForms()
