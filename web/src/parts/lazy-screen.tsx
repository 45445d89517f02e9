import { type FunctionComponent, use } from 'react';
import { loadOnce } from '../api/loads.ts';

/** The component of a route, and how its code is loaded before it is shown. */
type LazyScreen = FunctionComponent & { readonly preload: () => Promise<void> };

/**
 * Makes the component of a route, whose code is loaded when it is first shown or about to be. If the service is away,
 * it fails as a call does, and is loaded again with the route. The router's own one would load the page again: the
 * browser's error would then replace the console.
 */
export function lazyScreen<Name extends string>(
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
): LazyScreen {
  const loaded = loadOnce(load);
  function Lazy() {
    const Screen: FunctionComponent = use(loaded())[name];
    return <Screen />;
  }
  // The component shows why it could not be loaded.
  const preload = () => loaded().then(nothing, nothing);
  return Object.assign(Lazy, { preload });
}

const nothing = () => undefined;
