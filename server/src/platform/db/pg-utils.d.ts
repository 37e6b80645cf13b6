declare module 'pg/lib/utils.js' {
  const utils: {
    /** A value as it is written into a statement's parameter. */
    prepareValue(value: unknown): string | Buffer | null;
  };
  export default utils;
}
