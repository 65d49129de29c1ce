// What follows from an object is computed once, and kept for as long as the object is.

/**
 * Computes once for each object that comes first; the other arguments must follow from it, since only the first call has
 * them. An undefined result is kept too.
 */
export function memoized<K extends object, Rest extends readonly unknown[], V>(
  compute: (key: K, ...rest: Rest) => V,
): (key: K, ...rest: Rest) => V {
  const results = new WeakMap<K, V>()
  return (key, ...rest) => {
    const cached = results.get(key)
    if (cached !== undefined || results.has(key)) return cached as V
    const result = compute(key, ...rest)
    results.set(key, result)
    return result
  }
}
