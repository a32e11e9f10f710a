// The marks of an axis, at round numbers.

/** From 0 in steps of 1, 2 or 5 times a power of ten: four to ten steps, the last mark at `most` or beyond. */
export function marks(most: number): number[] {
  const end = most > 0 && Number.isFinite(most) ? most : 1;
  const unit = 10 ** Math.floor(Math.log10(end / 4));
  const step = [5, 2, 1].map((digit) => digit * unit).find((one) => end / one >= 4 - 1e-9) ?? unit;
  const count = Math.ceil(end / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}
