import { html } from '../html.ts'
import type { Page, View } from '../view.ts'
export const pickerPage = (view: View): Page => ({ title: view.words.picker, main: html`<h1>x</h1>` })
