"""When frontier runs reach the limits of an H100 and its successors, and what the last efficient run costs."""

from textwrap import fill

import scalewall as sw
from scalewall.report.forecast_words import finding
from scalewall.report.money_tables import prices_words, usd
from scalewall.study.money import efficient_runs

answer = sw.forecast(sw.LimitsStudy(machines=("h100",)), growth="4:5", worlds=0, now="2026-11-24")
(h100,) = answer.machines
print(fill(finding(answer, h100), 80))
print(f"Before 2030 in {h100.efficient.share_before(2030.0):.0%} of the draws.")

last = efficient_runs(h100.limits, {"usd_per_hour": 2.0})[-1]
if last.money:
    print(f"{last.training_flop:.2e} FLOP: rent {usd(last.money.rent_usd)}, own {usd(last.money.owned_usd)}")
    print(f"{last.money.average_watts / 1e9:.1f} GW on average.")
    print(fill(prices_words(last.prices), 80))
