export const profile = async (home: string, seconds: number): Promise<string> => `${home} ${seconds}`
