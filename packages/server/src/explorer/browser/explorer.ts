// The script of every page. Pages work without it, and better with it.

import { enhanceSearch, focusSearchAtSlash } from './combobox.ts'
import { enhanceCopyButtons } from './copy.ts'
import { enhanceForms } from './forms.ts'
import { enhanceReference } from './run-operation.ts'
import { enhanceTree } from './tree-in-place.ts'
import { enhanceFolded } from './unfold.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[role=search]')) enhanceSearch(form)
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-running]')) enhanceReference(form)
for (const part of document.querySelectorAll<HTMLDetailsElement>('details[data-part]')) enhanceFolded(part)
for (const tree of document.querySelectorAll<HTMLElement>('[data-tree]')) enhanceTree(tree)
for (const { dataset } of document.querySelectorAll<HTMLElement>('[data-script]')) void import(dataset.script ?? '')
enhanceCopyButtons()
focusSearchAtSlash()
enhanceForms()
