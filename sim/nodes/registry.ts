// Where simulated nodes get their images: whether there is one under a name, and how long a pull takes.

export type ImagePull = { readonly is: "there"; readonly pullMs: number } | { readonly is: "missing" };

/** Asked at every attempt to pull. */
export type Registry = (image: string) => ImagePull;

const AT_HAND: ImagePull = { is: "there", pullMs: 0 };

/** Every image is there and takes no time. */
export const generousRegistry: Registry = () => AT_HAND;
