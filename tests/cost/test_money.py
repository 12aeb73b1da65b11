"""Money and energy, by hand and against published sites."""

from __future__ import annotations

import pytest

from scalewall.cost.money import PRICES, prices_of, run_money
from scalewall.errors import InputError
from scalewall.hardware import machine_names

HAND = {
    "usd": 10_000.0,
    "usd_per_hour": 2.0,
    "server_cost_ratio": 1.5,
    "interconnect_share": 0.25,
    "depreciation": 0.3,
    "watts": 500.0,
    "server_power_ratio": 2.0,
    "average_draw": 0.5,
    "pue": 1.2,
    "usd_per_kwh": 0.1,
}


def test_a_run_by_hand() -> None:
    """1,000 accelerators for a tenth of a year, 876.6 hours."""
    money = run_money(prices_of("h100", HAND), 1000, 876.6 * 3600)
    assert money.accelerator_hours == pytest.approx(876_600)
    assert money.rent_usd == pytest.approx(1_753_200)
    assert money.capital_usd == pytest.approx(20e6)
    assert money.peak_watts == pytest.approx(1.2e6)
    assert money.average_watts == pytest.approx(0.6e6)
    assert money.energy_joules == pytest.approx(0.6e6 * 876.6 * 3600)
    assert money.electricity_usd == pytest.approx(600 * 876.6 * 0.1)
    assert money.owned_usd == pytest.approx(20e6 * 0.3 * 0.1 + 600 * 876.6 * 0.1)
    assert money.usd == money.rent_usd


def test_an_h100_draws_what_published_sites_say() -> None:
    """DGX H100: 10.2 kW for eight; 100,000 of them, with what is around them: 150 MW (SemiAnalysis)."""
    money = run_money(prices_of("h100"), 100_000, 3600)
    assert money.peak_watts is not None
    assert money.peak_watts / 1.1 / 100_000 == pytest.approx(1275, rel=0.01)
    assert money.peak_watts == pytest.approx(150e6, rel=0.1)


def test_an_h100_cluster_costs_about_what_was_paid() -> None:
    """47,000 to 52,000 USD an accelerator in August 2024, at the chip prices of that time (20,000 to 27,000)."""
    low, high = (run_money(prices_of("h100", {"usd": usd}), 1, 3600).capital_usd for usd in (20e3, 27e3))
    assert low is not None
    assert high is not None
    assert low < 50e3 < high


def test_what_is_not_known_stays_unknown() -> None:
    """No price of a B300 is known: no capital, no rent, but power."""
    prices = prices_of("b300")
    money = run_money(prices, 8, 3600)
    assert {"usd", "usd_per_hour"} <= set(prices.missing)
    assert money.rent_usd is money.capital_usd is money.owned_usd is money.usd is None
    assert money.average_watts is not None
    unpowered = run_money(prices_of("tpu-v5e"), 8, 3600)
    assert unpowered.energy_joules is None
    assert unpowered.usd == unpowered.rent_usd == pytest.approx(8 * 1.2)


def test_every_figure_has_evidence_and_a_source_or_a_reason() -> None:
    for name in machine_names():
        for price, figure in prices_of(name).figures.items():
            assert figure.evidence in ("datasheet", "measured", "literature", "derived", "assumed"), (
                name,
                price,
            )
            assert figure.source or figure.note, (name, price)
            assert PRICES[price].low <= figure.value <= PRICES[price].high, (name, price)


def test_a_servers_price_is_not_counted_twice() -> None:
    """Machines whose price is a whole server's divided by its accelerators get no server on top."""
    for name in machine_names():
        figure = prices_of(name).figures.get("usd")
        if figure and name != "wse-3":
            whole = "divided by" in figure.note
            assert (prices_of(name).get("server_cost_ratio") == 1.0) == whole, name


def test_a_machine_of_ones_own_has_its_bases_ratios(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "mine.toml"
    file.write_text('schema = 1\nname = "mine"\ntitle = "Mine"\nkind = "user"\nbase = "a100-80gb"\n')
    assert prices_of(str(file)).get("server_power_ratio") == 2.03


@pytest.mark.parametrize(
    "changes", [{"speed": 1.0}, {"usd": -1.0}, {"pue": 0.5}, {"usd_per_kwh": float("nan")}]
)
def test_impossible_prices_are_named(changes: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"^price"):
        prices_of("h100", changes)
