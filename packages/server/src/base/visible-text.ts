// Texts from outside as a terminal or a log may have them.

/** Letters that a terminal obeys or that turn the direction of what follows, without line ends and tabs. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** The text with its control characters and marks of direction as escapes, which mean the same where they stand in a string of JSON. */
export const visibleText = (text: string): string =>
  text.replace(OBEYED, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
