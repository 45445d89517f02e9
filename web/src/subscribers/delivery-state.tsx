import { IconAlertCircle, IconCircleCheck, IconCircleX, IconMailOff } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';
import { fieldIds } from './fields.ts';
import { fieldValue, type Subscriber } from './subscriber.ts';

/** Whether a person is subscribed, by glyph and word. */
export function SubscriptionState({ subscriber }: { readonly subscriber: Subscriber }) {
  const { words } = useWords();
  const code = Number(fieldValue(subscriber, fieldIds.status));
  const Glyph = code === 0 ? IconCircleCheck : IconMailOff;
  return (
    <span className={code === 0 ? 'state green' : 'state amber'}>
      <Glyph size={16} stroke={1.75} aria-hidden />
      {words.fields.codes[fieldIds.status]?.[code]}
    </span>
  );
}

/** Whether messages reach the address; nothing is sent from a hard bounce on. */
export function DeliveryState({ subscriber }: { readonly subscriber: Subscriber }) {
  const { words } = useWords();
  const code = Number(fieldValue(subscriber, fieldIds.delivery));
  if (code === 0) return <span className="text-2">{words.fields.codes[fieldIds.delivery]?.[0]}</span>;
  const Glyph = code === 1 ? IconAlertCircle : IconCircleX;
  return (
    <span className={code === 1 ? 'state amber' : 'state red'}>
      <Glyph size={16} stroke={1.75} aria-hidden />
      {words.fields.codes[fieldIds.delivery]?.[code]}
    </span>
  );
}
