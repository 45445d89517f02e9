import { use } from 'react';

/**
 * Makes a reader of texts that load when a render first reads them; the render waits for them. They cost the first
 * screen of the console nothing.
 */
export function later<Texts>(load: () => Promise<Texts>): () => Texts {
  let loading: Promise<Texts> | undefined;
  let loaded: Texts | undefined;
  return () => {
    // After the first render, actions read them as well.
    if (loaded !== undefined) return loaded;
    if (!loading) {
      loading = load().then((texts) => {
        loaded = texts;
        return texts;
      });
      // The next render retries a failed load.
      loading.catch(() => {
        loading = undefined;
      });
    }
    return use(loading);
  };
}
