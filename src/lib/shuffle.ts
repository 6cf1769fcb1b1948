/** A fair shuffle: every order is equally likely where `random` is uniform in [0, 1) (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const drawn = Math.floor(random() * (last + 1));
    [order[last], order[drawn]] = [order[drawn] as T, order[last] as T];
  }
  return order;
}
