import {
  type Icon,
  IconClick,
  IconCode,
  IconFileSpreadsheet,
  IconGauge,
  IconMapPin,
  IconSend,
  IconTag,
} from '@tabler/icons-react';
import type { Kind } from './filter-kinds.ts';

export type KindIcon = Icon;

/** The icon of each kind of filter. */
export const kindIcons: Readonly<Record<Kind, Icon>> = {
  behaviour: IconClick,
  thematic: IconTag,
  sending: IconSend,
  emailPressure: IconGauge,
  geolocation: IconMapPin,
  file: IconFileSpreadsheet,
  sql: IconCode,
};
