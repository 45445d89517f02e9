import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockX,
  IconLoader2,
  IconPlayerPause,
  IconPlayerStop,
  type TablerIcon,
} from '@tabler/icons-react';
import { useWords, type Words } from '../words/words.tsx';

/** A state of a campaign or of its job, as the service names it. */
export type CampaignState = keyof Words['campaigns']['states'];

const looks: Readonly<Record<CampaignState, { icon: TablerIcon | 'live'; colour: string }>> = {
  None: { icon: IconCircleDashed, colour: '' },
  Programmed: { icon: IconClock, colour: 'plum' },
  Generating: { icon: IconLoader2, colour: 'ink' },
  InProgress: { icon: 'live', colour: 'ink' },
  Paused: { icon: IconPlayerPause, colour: 'amber' },
  Stopped: { icon: IconPlayerStop, colour: '' },
  Finished: { icon: IconCircleCheck, colour: 'green' },
  FinishedWithErrors: { icon: IconAlertCircle, colour: 'amber' },
  Missed: { icon: IconClockX, colour: 'red' },
  Error: { icon: IconCircleX, colour: 'red' },
};

interface StateProps {
  readonly state: string;
  /** Recipients of whom it is not known whether a relay accepted the message. */
  readonly uncertain?: number | undefined;
}

/** A state by glyph and word, of a sending to not all with its uncertain people. An unknown one is said as the service says it. */
export function StateOf({ state, uncertain = 0 }: StateProps) {
  const { words, format } = useWords();
  const look = looks[state as CampaignState] ?? looks.None;
  const word =
    state === 'FinishedWithErrors' && uncertain > 0
      ? words.campaigns.sentUncertain(format.count(uncertain), format.isOne(uncertain))
      : (words.campaigns.states[state as CampaignState] ?? state);
  return (
    <span className={`state ${look.colour}`}>
      {look.icon === 'live' ? (
        <span className="dot ink live" aria-hidden />
      ) : (
        <look.icon size={16} stroke={1.75} aria-hidden />
      )}
      {word}
    </span>
  );
}
