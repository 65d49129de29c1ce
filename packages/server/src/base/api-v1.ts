// The paths of API v1, which its contract fixes, for those who serve it and for those who read it from another server.

export const V1_PATH = '/api/v1'

/** The path of a collection. */
export const v1PathOf = ({ name }: { readonly name: string }): string => `${V1_PATH}/${name}`
