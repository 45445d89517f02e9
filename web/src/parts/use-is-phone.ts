import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is so narrow that the navigation is a bar at the bottom. The rules of the styles say the same. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false }) ?? false;
}
