// Which days are asked for, in UTC, both counting: the last week unless asked otherwise.
import { dayMs, dayOf, isDay } from '../../../platform/clock.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { detailDays } from '../counting/counted.ts';
import type { MessageAnalyticsQuery } from '../schema.ts';
import { dimensionNames, dimensionsIn, isDetail } from './dimensions.ts';

const mostDays = 366;
const usualDays = 7;

type Asked = Pick<MessageAnalyticsQuery, 'from' | 'to' | 'groupBy' | 'template' | 'errorCode'>;

/** Everything that no schema says about the question. */
export function issuesOf(asked: Asked, now: Date): ErrorDetail[] {
  return [...issuesOfDays(asked, now), ...issuesOfGroups(asked.groupBy)];
}

function issuesOfDays(asked: Asked, now: Date): ErrorDetail[] {
  const wrong = (['from', 'to'] as const).filter((path) => asked[path] !== undefined && !isDay(asked[path]));
  if (wrong.length > 0) return wrong.map((path) => ({ path, issue: 'must be a day' }));
  const { from, to } = rangeOf(asked, now);
  if (from > to) return [{ path: 'from', issue: 'must not be after `to`' }];
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return days > mostDays
    ? [{ path: 'from', issue: `must be at most ${mostDays - 1} days before \`to\`` }]
    : [];
}

function issuesOfGroups(groupBy: string | undefined): ErrorDetail[] {
  const { named, unknown } = dimensionsIn(groupBy);
  const issue =
    unknown.length > 0
      ? `can name ${dimensionNames.join(', ')}, and nothing else`
      : new Set(named).size < named.length
        ? 'must name nothing twice'
        : named.includes('day') && named.includes('hour')
          ? 'can name day or hour, not both'
          : null;
  return issue === null ? [] : [{ path: 'groupBy', issue }];
}

export function rangeOf({ from, to }: Pick<Asked, 'from' | 'to'>, now: Date) {
  const last = to ?? dayOf(now);
  return { from: from ?? dayOf(Date.parse(last) - (usualDays - 1) * dayMs), to: last };
}

/** Whether the question needs what only the last days have. */
export const asksForDetail = ({ groupBy, template, errorCode }: Asked): boolean =>
  dimensionsIn(groupBy).named.some(isDetail) || template !== undefined || errorCode !== undefined;

export function refuseOldDetail(from: string, now: Date): void {
  const first = dayOf(Date.parse(dayOf(now)) - detailDays * dayMs);
  if (from >= first) return;
  throw new ApiError('ANALYTICS_RANGE_UNAVAILABLE', {
    message: `Hours, templates and error codes are counted for the last ${detailDays} days: from ${first} on.`,
  });
}
