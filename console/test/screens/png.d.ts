// The little that tests use of a library which brings no types.
declare module 'pngjs' {
  export class PNG {
    constructor(size: { width: number; height: number });
    width: number;
    height: number;
    data: Buffer;
    static sync: {
      read(file: Buffer): PNG;
      write(picture: PNG, options?: { colorType?: 2 | 6; deflateLevel?: number }): Buffer;
    };
  }
}
